// The block of docs/guides/knowledge.md for programs.
// #region
import { Svc } from "@svc-runtime/client"
import { readdirSync } from "node:fs"

const svc = new Svc({ baseUrl: "http://127.0.0.1:7777" })
for (const name of readdirSync("documents")) await svc.knowledge.add({ file: { path: `documents/${name}` } })
// #endregion
