// A real browser. Its package is for Linux on x64; elsewhere CHROME names an installed one.
import chromium from "@sparticuz/chromium"
import { Effect } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Browser, chromium as playwright, type Page } from "playwright-core"

const holder = () => join(tmpdir(), "browser-unpacked")

/** The package unpacks the browser into the temporary directory of this run: one worker does, and others wait. */
const unpacked = async (): Promise<string> => {
  const [directory, ready] = [holder(), join(holder(), "ready")]
  const isFirst = mkdirSync(directory, { recursive: true }) !== undefined
  const path =
    await (isFirst ? chromium.executablePath() : until(() => existsSync(ready)).then(() => chromium.executablePath()))
  if (isFirst) writeFileSync(ready, "")
  return path
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 50))
}

const executable = (): Promise<string> => {
  const { CHROME } = process.env
  return CHROME === undefined || CHROME === "" ? unpacked() : Promise.resolve(CHROME)
}

/** A name of this machine for which browsers require TLS, as for those of other machines. */
export const insecureHost = "svc.test"

const args = ["--no-sandbox", `--host-resolver-rules=MAP ${insecureHost} 127.0.0.1`]

/** One for all tests of a file. */
export const launch = Effect.acquireRelease(
  Effect.promise(async () => playwright.launch({ executablePath: await executable(), args })),
  (browser: Browser) => Effect.promise(() => browser.close())
)

export interface Opened {
  readonly page: Page
  /** Errors of scripts, and refusals of the content security policy. */
  readonly problems: ReadonlyArray<string>
  /** Requests to other hosts than the service. */
  readonly strangers: ReadonlyArray<string>
}

/** A tab of its own, as a new visitor has it. */
export const open = Effect.fnUntraced(function*(
  browser: Browser,
  url: string,
  { height = 800, width = 1280 }: { readonly width?: number; readonly height?: number } = {}
) {
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext({ locale: "en-US", viewport: { width, height } })),
    (context) => Effect.promise(() => context.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  const problems: Array<string> = []
  const strangers: Array<string> = []
  page.on("pageerror", (error) => problems.push(error.message))
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) problems.push(message.text())
  })
  page.on("request", (request) => {
    const other = request.url()
    if (!other.startsWith(new URL(url).origin) && !/^(data|blob):/.test(other)) strangers.push(other)
  })
  page.setDefaultTimeout(60_000)
  yield* Effect.promise(() => page.goto(url))
  return { page, problems, strangers } satisfies Opened
})
