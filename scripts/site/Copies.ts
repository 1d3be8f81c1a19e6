// The pages as text: for programs that read the site, and for packages that contain the documents.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { all, type Group, type Page } from "./Contents.ts"
import { mended } from "./Links.ts"

export interface Text {
  readonly path: string
  readonly text: string
}

/** All pages of a folder, with links that hold outside of the repository. */
export const texts = (docs: string): ReadonlyArray<Text> =>
  globSync("**/*.md", { cwd: docs }).map((path) => path.replaceAll("\\", "/")).toSorted()
    .map((path) => ({ path, text: mended(path, readFileSync(join(docs, path), "utf8")) }))

/** Writes the pages into a folder. */
export const write = (pages: ReadonlyArray<Text>, directory: string): void => {
  for (const { path, text } of pages) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

const about = "Svc is a self-hosted runtime service for AI agents, teams and workflows in TypeScript."

/** The list of pages for models: https://llmstxt.org. */
export const list = (groups: ReadonlyArray<Group>, base: string): string =>
  `# Svc\n\n> ${about}\n\nEach page is also in ${base}llms-full.txt.\n${
    groups.map(({ pages, title }) =>
      `\n## ${title}\n\n${
        all(pages).map(({ about, path, title }: Page) =>
          `- [${title}](${base}${path})${about === "" ? "" : `: ${about}`}\n`
        ).join("")
      }`
    ).join("")
  }`

/** All pages in the order of the contents, as one text. */
export const whole = (groups: ReadonlyArray<Group>, pages: ReadonlyArray<Text>): string => {
  const texts = new Map(pages.map(({ path, text }) => [path, text]))
  const order = new Set(groups.flatMap(({ pages }) => all(pages)).map(({ path }) => path))
  return `# Svc\n\n> ${about}\n${
    [...order].map((path) => `\n---\n\nPage: ${path}\n\n${texts.get(path)?.trim()}\n`).join("")
  }`
}
