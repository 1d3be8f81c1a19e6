// Packs all public packages once for all test files.
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { pack } from "../../../../scripts/release/Packing.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The tarballs, by the name of the package. */
    readonly tarballs: Readonly<Record<string, string>>
  }
}

export default async function setup({ provide }: TestProject): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "tarballs-"))
  const packed = await pack(directory)
  provide("tarballs", Object.fromEntries(packed.map(({ filename, name }) => [name, join(directory, filename)])))
}
