// Replaces the version in the texts that name it, and nothing else in them.
/** In manifests, in those of templates, and in the lock file. Versions of other packages stay. */
export const raise = (manifest: string, from: string, to: string): string => {
  const own = `"name": "@svc-runtime/[a-z-]+",\\s+"version": "`
  const dependency = `"@svc-runtime/[a-z-]+": "\\^?`
  const version = from.replaceAll(".", "\\.")
  return manifest.replaceAll(new RegExp(`(${own}|${dependency})${version}(?=")`, "g"), `$1${to}`)
}

/** Gives what was unreleased the version, and begins an empty section above it. */
export const release = (changelog: string, version: string, date: string): string =>
  changelog.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} · ${date}\n`)
