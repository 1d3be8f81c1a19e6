import { render } from "preact"
import { App } from "./App.tsx"
import { follow } from "./Route.ts"

follow()
const root = document.getElementById("root")
if (root !== null) render(<App />, root)
