// Generates the types and the methods of the clients when they are missing, or when the API's document or the generator
// has changed since. Plain JavaScript for any Node: it runs before each npm script and before the tests.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const generator = join(root, "packages", "client", "scripts")
const generated = join(root, "packages", "client", "src", "promise", "generated")
const stamp = join(generated, "inputs.sha256")
const outputs = [
  stamp,
  ...["types.ts", "resources.ts"].map((name) => join(generated, name)),
  ...["models.py", "resources.py"].map((name) => join(root, "clients", "python", "svc_runtime", name))
]

const inputs = [
  join(root, "packages", "features", "openapi.json"),
  ...readdirSync(generator).sort().map((name) => join(generator, name))
]

const hash = createHash("sha256")
for (const input of inputs) hash.update(readFileSync(input)).update("\0")
const digest = hash.digest("hex")

const isCurrent = () => outputs.every((output) => existsSync(output)) && readFileSync(stamp, "utf8") === digest

if (!isCurrent()) {
  const own = join(root, "node_modules", ".bin", "node")
  const node = process.platform !== "win32" && existsSync(own) ? own : process.execPath
  const { status } = spawnSync(node, [join(generator, "generate.ts")], { stdio: ["ignore", "ignore", "inherit"] })
  if (status === 0) writeFileSync(stamp, digest)
  else process.stderr.write("The clients could not be generated: node packages/client/scripts/generate.ts\n")
}
