// A registry of npm on this machine. It has the packages that are published to it, and passes all others through from
// the registry of npm's configuration.
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

const home = join(import.meta.dirname, "..", "local-registry")

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (address === null || typeof address === "string") throw new Error("No port is free")
  return address.port
}

const configOf = (folder: string, upstream: string) =>
  JSON.stringify({
    storage: join(folder, "storage"),
    auth: { htpasswd: { file: join(folder, "users"), max_users: 1 } },
    uplinks: { upstream: { url: upstream, cache: true } },
    packages: {
      "@svc-runtime/*": { access: "$all", publish: "$authenticated" },
      "**": { access: "$all", proxy: "upstream" }
    },
    log: { type: "stdout", level: "error" },
    max_body_size: "100mb"
  })

export interface LocalRegistry {
  readonly url: string
  /** Lets npm use this registry, as its only user. */
  readonly env: Readonly<Record<string, string>>
  readonly stop: () => Promise<void>
}

export const start = async (): Promise<LocalRegistry> => {
  if (!existsSync(join(home, "node_modules"))) {
    execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: home, stdio: "ignore" })
  }
  const upstream = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim()
  const folder = mkdtempSync(join(tmpdir(), "svc-registry-"))
  const config = join(folder, "config.yaml")
  // JSON is YAML
  writeFileSync(config, configOf(folder, upstream))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = join(home, "node_modules", "verdaccio", "bin", "verdaccio")
  const child = spawn(process.execPath, [program, "--config", config, "--listen", `127.0.0.1:${port}`], {
    stdio: ["ignore", "inherit", "inherit"],
    // it warns that it runs as root, as it does in a container
    env: { ...process.env, NODE_NO_WARNINGS: "1" }
  })
  const ended = once(child, "exit").then(() => true)
  const replies = () => fetch(`${url}/-/ping`).then(({ ok }) => ok, () => false)
  while (!(await replies())) {
    const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), 100))
    if (await Promise.race([ended, pause])) throw new Error("The registry ended before it replied")
  }
  const user = { name: "rehearsal", password: "rehearsal" }
  const response = await fetch(`${url}/-/user/org.couchdb.user:${user.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(user)
  })
  const { token } = await response.json() as { readonly token?: string }
  if (token === undefined) throw new Error(`The registry gave no token: ${response.status}`)
  const settings = join(folder, "npmrc")
  writeFileSync(settings, `registry=${url}/\n//127.0.0.1:${port}/:_authToken=${token}\n`)
  return {
    url,
    // a cache of its own: a version that was published elsewhere must not be taken for the one that is tried
    env: { npm_config_userconfig: settings, npm_config_registry: `${url}/`, npm_config_cache: join(folder, "cache") },
    stop: async () => {
      child.kill("SIGTERM")
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
