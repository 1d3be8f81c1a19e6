// Builds the console: one page, its script and its style. Their names have hashes, so that browsers keep them.
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

const folder = join(import.meta.dirname, "..")
const root = join(folder, "..", "..")

const styles = join(folder, "src", "styles")

const require = createRequire(import.meta.url)

const joined = (paths: ReadonlyArray<string>): string => paths.map((path) => readFileSync(path, "utf8")).join("\n")

/** The names are in the order of the rules. */
const sheetsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => name.endsWith(".css")).toSorted().map((name) => join(folder, name))

/** The style of the first screen, and that of other pages, with the charts. */
const first = (): string => joined(sheetsIn(styles))
const further = (): string => joined([require.resolve("uplot/dist/uPlot.min.css"), ...sheetsIn(join(styles, "pages"))])

const hashed = (name: string, text: string): string => {
  const [stem, extension] = name.split(".")
  return `${stem}-${createHash("sha256").update(text).digest("hex").slice(0, 10)}.${extension}`
}

const page = (script: string, sheet: string, pages: string): string =>
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Svc</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${sheet}">
<meta name="pages-style" content="${pages}">
<script type="module" src="${script}"></script>
</head>
<body><div id="root"></div><noscript>The console needs JavaScript.</noscript></body>
</html>
`

const bundled = async (): Promise<ReadonlyArray<readonly [name: string, text: string, isEntry: boolean]>> => {
  const build = await rolldown({
    input: join(folder, "src", "main.tsx"),
    platform: "browser",
    cwd: root,
    tsconfig: false,
    // a library says that it is for browsers, and so is all of this
    onLog: (level, log, handle) => {
      if (log.code !== "MODULE_LEVEL_DIRECTIVE") handle(level, log)
    },
    // libraries for React use Preact
    resolve: {
      alias: { "react": "preact/compat", "react-dom": "preact/compat", "react/jsx-runtime": "preact/jsx-runtime" }
    },
    transform: {
      jsx: { runtime: "automatic", importSource: "preact" },
      define: { "process.env.NODE_ENV": JSON.stringify("production") }
    }
  })
  const { output } = await build.generate({
    format: "esm",
    minify: true,
    entryFileNames: "console-[hash].js",
    chunkFileNames: "[name]-[hash].js"
  })
  await build.close()
  return output.flatMap((part) => part.type === "chunk" ? [[part.fileName, part.code, part.isEntry] as const] : [])
}

/** Writes the site into the directory. A page that was served before finds its files until this one is complete. */
export const build = async (directory = join(folder, "site")): Promise<ReadonlyMap<string, string>> => {
  const scripts = await bundled()
  const [css, pagesCss] = [first(), further()]
  const [sheet, pagesSheet] = [hashed("console.css", css), hashed("pages.css", pagesCss)]
  const entry = scripts.find(([, , isEntry]) => isEntry)
  if (entry === undefined) throw new Error("The bundle has no entry")
  const html = page(entry[0], sheet, pagesSheet)
  const files = new Map([
    ...scripts.map(([name, text]) => [name, text] as const),
    [sheet, css] as const,
    [pagesSheet, pagesCss] as const
  ])
  mkdirSync(directory, { recursive: true })
  for (const [name, text] of files) {
    writeFileSync(join(directory, name), text)
    writeFileSync(join(directory, `${name}.gz`), gzipSync(text, { level: 9 }))
  }
  const temporary = join(directory, `.index-${process.pid}`)
  writeFileSync(temporary, html)
  renameSync(temporary, join(directory, "index.html"))
  const kept = new Set(["index.html", ...[...files.keys()].flatMap((name) => [name, `${name}.gz`])])
  for (const name of readdirSync(directory)) if (!kept.has(name)) rmSync(join(directory, name), { force: true })
  return new Map([...files, ["index.html", html]])
}
