import { render } from "preact"
import { App } from "./App.tsx"
import { followScheme } from "./colours.ts"
import { follow, go } from "./Route.ts"
import { finish } from "./service/OAuth.ts"
import { signIn } from "./service/Service.ts"

follow()
followScheme()
const given = await finish()
if (given !== undefined) signIn(given, { keep: true })
go(location.hash, { replace: true })
const root = document.getElementById("root")
if (root !== null) render(<App />, root)
