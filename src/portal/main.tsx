/** Entry point of the portal in the browser. */

import "./fonts.css";
import "./theme.css";
import "./kit/kit.css";
import "./shell.css";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

createRoot(document.getElementById("portal")!).render(<App />);
