// The site of the documents: `npm run docs` and `npm run docs:build`. The pages are those of docs, as they are.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "vitepress"
import { anchorOf } from "../../../packages/cli/src/docs/Sections.ts"
import { repository } from "../../publishing.ts"
import { all, descriptionOf, type Page, read } from "../Contents.ts"
import { diagrams, links, plainCode, tabs } from "./markdown.ts"

const root = join(import.meta.dirname, "..", "..", "..")
const docs = join(root, "docs")
const { version } = JSON.parse(readFileSync(join(root, "packages", "server", "package.json"), "utf8"))
const { DOCS_BASE: base = "/", DOCS_HOST: host, DOCS_OUT: outDir = join(root, "dist", "site") } = process.env

const groups = read(docs)

const folderOf = (path: string): string => `/${path.replace(/[^/]*$/, "")}`

const linkOf = (path: string): string => `/${path.replace(/(^|\/)README\.md$/, "$1").replace(/\.md$/, "")}`

/** The pages that a README lists are beside it only in their folder: every page contains the whole sidebar. */
const itemOf = ({ pages, path, title }: Page, open: string): object => ({
  text: title,
  link: linkOf(path),
  ...(pages.length > 0 && folderOf(path) === open ? { items: pages.map((page) => itemOf(page, open)) } : {})
})

const sidebarOf = (open: string): ReadonlyArray<object> =>
  groups.map(({ pages, title }) => ({
    text: title,
    collapsed: false,
    items: pages.map((page) => itemOf(page, open))
  }))

const listing = groups.flatMap(({ pages }) => all(pages)).filter(({ pages }) => pages.length > 0)
const sidebar = Object.fromEntries(
  ["/", ...listing.map(({ path }) => folderOf(path))].map((open) => [open, sidebarOf(open)])
)

const icon = "data:image/svg+xml," + encodeURIComponent(
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='8' fill='#3450d1'/>" +
    "<path d='M10 11h12M10 16h12M10 21h7' stroke='#fff' stroke-width='3' stroke-linecap='round'/></svg>"
)

/** What the first page has above the list of pages. */
const hero = {
  name: "Svc",
  text: "AI agents on your own machines",
  tagline:
    "Agents, teams and workflows in TypeScript, served over HTTP. Runs survive a crash, wait for people, and are" +
    " seen in a console. One process, no account, no broker.",
  actions: [
    { theme: "brand", text: "Start", link: "/start/quick-start" },
    { theme: "alt", text: "Concepts", link: "/concepts/run" }
  ]
}

export default defineConfig({
  title: "Svc",
  description: "A self-hosted runtime service for AI agents, teams and workflows in TypeScript",
  base,
  srcDir: docs,
  outDir,
  cacheDir: join(import.meta.dirname, "cache"),
  cleanUrls: true,
  metaChunk: true,
  rewrites: (path) => path.replace(/(^|\/)README\.md$/, "$1index.md"),
  transformPageData: ({ filePath, frontmatter, relativePath }) =>
    relativePath === "index.md"
      ? { frontmatter: { ...frontmatter, layout: "home", hero } }
      : { description: descriptionOf(readFileSync(join(docs, filePath), "utf8")) },
  head: [["link", { rel: "icon", href: icon }]],
  markdown: {
    theme: { light: "github-light", dark: "github-dark" },
    anchor: { slugify: anchorOf },
    config: (md) => {
      md.use(diagrams)
      md.use(plainCode)
      md.use(tabs)
      md.use(links)
    }
  },
  vite: {
    // pages are outside of this folder, and import what only this folder has
    plugins: [{
      name: "pages",
      enforce: "pre",
      resolveId(source, importer, options) {
        if (!/^vue(\/|$)/.test(source) || importer?.startsWith(docs) !== true) return undefined
        return options.ssr ? { id: source, external: true } : this.resolve(source, import.meta.filename, options)
      }
    }],
    ssr: { external: ["vue", "vue/server-renderer", "@vue/server-renderer", "@vue/compiler-core"] },
    // the target of the repository is newer than what this esbuild knows
    esbuild: { tsconfigRaw: "{}" },
    // the index of the search
    build: { chunkSizeWarningLimit: 4000 }
  },
  themeConfig: {
    version,
    // a site of several versions lists them at its root
    versions: host === undefined || host === base ? undefined : `${host}versions.json`,
    nav: [
      { text: "Start", link: "/start/quick-start", activeMatch: "^/start/" },
      { text: "Concepts", link: "/concepts/run", activeMatch: "^/concepts/" },
      { text: "Guides", link: "/guides/agents", activeMatch: "^/guides/" },
      { text: "Recipes", link: "/recipes/", activeMatch: "^/recipes/" },
      { text: "Operate", link: "/operate/deployment", activeMatch: "^/operate/" },
      { text: "Reference", link: "/reference/settings", activeMatch: "^/reference/" }
    ],
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        // the source of a drawing is no text
        _render: (text, env, md) => md.render(text.replaceAll(/^```mermaid\n[^]*?^```$/gm, ""), env)
      }
    },
    editLink: { pattern: `${repository}/edit/main/docs/:path`, text: "Edit this page" },
    socialLinks: [{ icon: "github", link: repository }]
  }
})
