/**
 * In charge of the codes that were made before there was a text: trained with demo matches, which
 * are JSON like any other. Made by `node_modules/.bin/bun bench/train-codes.ts`, not by hand.
 *
 * Each has the lengths of the codes as hexadecimal digits, first for literals and lengths, then for
 * distances; 0 is no code. Wide ones have a code for every byte, the others for printable ASCII.
 */
export const TRAINED = {
  match: [
    "00000000000000000000000000000000cc4ccccccccc54ac55555555555cccccccccccccccccccccccccccccccccccccc455555a77cc7777775555ccccc7c5c000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000ac7777cccccccccccccccccccccccc",
    "77777774ba3333333bbbbbbbbbbbbb",
  ],
  player: [
    "00000000000000000000000000000000cc3ccccccccc46bc66666666664cccccccccccccccccccccccccccccccccccc6c466646ca5c666666c454accccccc6c000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000cc66ccccccccc67ccccccccccccccc",
    "777777733333334abbbbbbbbbbbbbb",
  ],
  included: [
    "000000000000000000000000000000007c5ccccccc9c657955555666666ccccccc9799999999999999999cccccccccc9c555555776c767667c5657999999c7c000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000cc567777766776677779999ccccccc",
    "bbbbbba6666647444443254559bbbb",
  ],
  carried: [
    "00000000000000000000000000000000cc4ccccccccc65cc55555555555cccccccccccccccccccccccccccccccccccccc555555ca6c666666c6666ccccccc7c000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000cc597ccccc6cc46cc67ccccccccccc",
    "bbbbbbb743a637777234444bbbbbbb",
  ],
  widePlayer: [
    "cccccccccccccccccccccccccccccccccc3ccccccccc467c66666666664cccccccccccccccccccccccccccccccccccc6c466646c66c666666c664cccccc7c6cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc669cccccccc66cccccccccccccbb",
    "bbbba743333333668888bbbbbbbbbb",
  ],
  wideCarried: [
    "cccccccccccccccccccccccccccccccccc4ccccccccc55cc55555555555ccccccccccccccccccccccccccccccccccccac555555ca6c777777c6666ccccccc7cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc5a7ccccc7cc46cc67ccccccccccc",
    "bbbbbbb743a538888234444bbbbbbb",
  ],
} as const;
