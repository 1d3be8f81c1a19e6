// Authorities of certificates that the environment names, against a service with a certificate of its own.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { info } from "./FakeService.ts"
import { build, run } from "./Process.ts"

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0

beforeAll(async () => {
  await build()
})

/** Makes a certificate that signs itself, and its key. */
const certify = (folder: string, name: string) => {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(" ")
  const subject = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"]
  spawnSync("openssl", words.concat(subject, "-keyout", key, "-out", cert))
  return { cert, key }
}

describe.skipIf(!hasOpenssl)("a service with a certificate of its own", () => {
  it("a service is reached with the authorities of SSL_CERT_FILE, SSL_CERT_DIR and NODE_EXTRA_CA_CERTS together", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-certificates-"))
    const directory = join(folder, "authorities")
    mkdirSync(directory)
    const { cert, key } = certify(directory, "service")
    const other = certify(folder, "other").cert
    const options = { cert: readFileSync(cert), key: readFileSync(key) }
    const server = createServer(options, (_, response) => void response.end(JSON.stringify(info())))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const status = (env: Record<string, string>) => run(["status", "--json", "--url", url], { env })
    try {
      const unknown = await status({ SSL_CERT_FILE: other })
      assert.strictEqual(unknown.code, 1)
      assert.include(JSON.parse(unknown.stdout).error, "name its file in SSL_CERT_FILE or NODE_EXTRA_CA_CERTS")
      const known: ReadonlyArray<Record<string, string>> = [
        { SSL_CERT_FILE: cert },
        { SSL_CERT_DIR: directory },
        { SSL_CERT_DIR: `${folder}:${directory}` },
        { NODE_EXTRA_CA_CERTS: cert },
        { NODE_EXTRA_CA_CERTS: cert, SSL_CERT_FILE: other, SSL_CERT_DIR: folder }
      ]
      for (const env of known) {
        const { code, stderr } = await status(env)
        assert.strictEqual(code, 0, JSON.stringify(env))
        // no warning of node either
        assert.strictEqual(stderr, "", JSON.stringify(env))
      }
    } finally {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    }
  })
})
