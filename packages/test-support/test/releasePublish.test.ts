// `npm run build -- publish` with an npm that has no package yet, and that writes nothing when it is silent.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

const script = join(import.meta.dirname, "..", "..", "..", "scripts", "release-publish.ts")

const npm = `#!/bin/sh
[ "$1" = view ] || exit 0
[ "$npm_config_loglevel" = silent ] || echo "npm error code E404" >&2
exit 1
`

describe("publishing packages", () => {
  it.skipIf(process.platform === "win32")(
    "a package that the registry does not have is published in a silent npm, too",
    () => {
      const folder = mkdtempSync(join(tmpdir(), "svc-publish-"))
      try {
        writeFileSync(join(folder, "npm"), npm, { mode: 0o755 })
        mkdirSync(join(folder, "package"))
        writeFileSync(
          join(folder, "package", "package.json"),
          JSON.stringify({ name: "@svc-runtime/a", version: "1.0.0" })
        )
        execFileSync("tar", ["-czf", "a.tgz", "package"], { cwd: folder })
        for (const level of ["notice", "silent"]) {
          const { stderr, stdout } = spawnSync(process.execPath, [script, folder], {
            encoding: "utf8",
            env: { ...process.env, PATH: [folder, process.env["PATH"]].join(delimiter), npm_config_loglevel: level }
          })
          assert.strictEqual(stderr, "")
          assert.include(stdout, "@svc-runtime/a 1.0.0 is published")
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
  )
})
