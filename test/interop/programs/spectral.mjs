// Lints the OpenAPI document of a server with the rules of spectral:oas.
import spectral from "@stoplight/spectral-core";
import rulesets from "@stoplight/spectral-rulesets";

const linter = new spectral.Spectral();
linter.setRuleset(rulesets.oas);
const response = await fetch(`${process.env.BASE}/openapi.json`);
const problems = await linter.run(await response.text());
console.log(JSON.stringify(problems.map(({ code, path, message }) => [code, path, message])));
