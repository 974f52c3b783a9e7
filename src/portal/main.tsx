/** Entry point of the portal in the browser. */

import "./fonts.css";
import "./theme.css";
import "./kit/kit.css";
import "./shell.css";
// Several views share these small modules: a request for each would take longer than loading them here.
import "./kit/api-menu.tsx";
import "./kit/bar.tsx";
import "./kit/code.tsx";
import "./kit/needs-key.tsx";
import "./kit/pairs.tsx";
import "./kit/record-page.tsx";
import "./kit/segmented.tsx";
import "./kit/select.tsx";
import "./kit/table.tsx";
import "./kit/time.tsx";
import "./match.ts";
import "./views/match/extras.ts";
import { createRoot } from "react-dom/client";
import { App, loadFirstView } from "./app.tsx";

const root = createRoot(document.getElementById("portal")!);
// Not with `await`: the bundler would move every module that is shared into a script of its own.
void loadFirstView().then(() => root.render(<App />));
