// The report of `svc connect` for people: a row for each client, then the remaining steps and the warnings.
import { Effect } from "effect"
import { label, tilde } from "../clients/Rows.ts"
import { Environment } from "../Environment.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"
import type { Connected } from "./Connect.ts"
import type { Row, Status } from "./ConnectRow.ts"

const labels: { readonly [S in Status]: string } = {
  "connected": "connected",
  "already-connected": "already ok",
  "needs-login": "sign in",
  "skipped": "skipped",
  "failed": "failed",
  "manual": "action needed"
}

/** Notes go where their row goes. */
const streams: { readonly [S in Status]: "out" | "error" } = {
  "connected": "out",
  "already-connected": "out",
  "needs-login": "error",
  "skipped": "error",
  "failed": "error",
  "manual": "error"
}

const printNotes = Effect.fnUntraced(function*({ note, replaced_legacy: legacy, status }: Row, entryName: string) {
  const output = yield* Output
  if (note) yield* (streams[status] === "out" ? output.line : output.warn)(`      note: ${note}`)
  if (legacy !== undefined) yield* output.line(`      The entry ${legacy} is now called ${entryName}.`)
})

const printManual = Effect.fnUntraced(function*({ instructions, name, note, url }: Row) {
  const output = yield* Output
  yield* output.warn(label(labels.manual, name))
  for (const step of instructions ?? []) yield* output.line(`      ${step}`)
  yield* output.line(`      MCP URL: ${url}`)
  if (note) yield* output.warn(`      note: ${note}`)
})

const printRow = Effect.fnUntraced(function*(row: Row, entryName: string) {
  const output = yield* Output
  const { home } = yield* Environment
  const { error, location, name, status, verify } = row
  const at = location === undefined ? "" : ` -> ${tilde(home, location)}`
  const text = label(labels[status], name)
  switch (status) {
    case "connected":
      yield* output.success(`${text}${verify !== undefined && verify.tools > 0 ? ` (${verify.tools} tools)` : ""}${at}`)
      break
    case "already-connected":
      yield* output.line(`${text}${at}`)
      break
    case "needs-login":
      yield* output.warn(`${text}${at}`)
      break
    case "skipped":
      yield* output.warn(`${text} (${error})`)
      break
    case "failed":
      yield* output.error(`${text}: ${tilde(home, error ?? "")}`)
      break
    case "manual":
      return yield* printManual(row)
  }
  yield* printNotes(row, entryName)
})

type Paragraph = ReadonlyArray<string>

const listed = (names: ReadonlyArray<string>): string => names.join(", ")

const movedParagraphs = ({ plan, rows }: Connected): ReadonlyArray<Paragraph> =>
  [...new Set(rows.flatMap(({ replaced_url: url }) => url === undefined ? [] : [url]))].map((url) => {
    const moved = rows.filter((row) => row.replaced_url === url).map(({ name }) => name)
    return [
      `${plan.entryName} pointed at ${url} in ${listed(moved)} and points at ${plan.mcpUrl} now.`,
      "To keep both, connect this one under another name with --server-name."
    ]
  })

const finishParagraphs = ({ plan, rows }: Connected): ReadonlyArray<Paragraph> => {
  const done = rows.filter(({ status }) => status === "connected" || status === "needs-login")
  if (done.length === 0) return []
  const signIns = done.filter(({ status }) => status === "needs-login")
  const apps = `${done.length} app${done.length === 1 ? "" : "s"}`
  const service = onOneLine(plan.service.name ?? plan.service.url)
  const rotated = rows.some(({ rotated }) => rotated === true)
    ? ["Tokens were replaced: running apps use the old ones until they are restarted."]
    : []
  if (signIns.length === 0) {
    return [[
      `Connected ${apps} to ${service}.`,
      `Restart ${done.length === 1 ? "it" : "them"} to see its tools.`,
      ...rotated
    ]]
  }
  return [[
    `Configured ${apps} for ${service}.`,
    "To finish:",
    `  1. Restart the app${done.length === 1 ? "" : "s"}.`,
    ...signIns.map(({ instructions, name }, at) => `  ${at + 2}. ${name}: ${instructions?.[0] ?? "sign in"}`),
    ...rotated
  ]]
}

const revokeParagraphs = ({ plan, rows, sharedAccount }: Connected): ReadonlyArray<Paragraph> => {
  const minted = [sharedAccount, ...rows.map(({ account }) => account)].flatMap((account) =>
    account === undefined || account.revoked_at !== null ? [] : [account.name]
  )
  return minted.length === 0
    ? []
    : [["To take a token back:", ...minted.map((name) => `  svc tokens revoke ${name} --url ${plan.service.url}`)]]
}

const orphanParagraphs = ({ plan, rows }: Connected): ReadonlyArray<Paragraph> => {
  const orphaned = rows.filter(({ replaced_token_entry: replaced }) => replaced === true)
  if (orphaned.length === 0) return []
  const services = [
    ...new Set(orphaned.map(({ replaced_url: url }) => url?.replace(/\/mcp\/*$/, "") ?? plan.service.url))
  ]
  return [[
    `The entries of ${
      listed(orphaned.map(({ name }) => name))
    } held tokens, and the accounts of those stay valid. To revoke them:`,
    ...services.map((url) => `  svc tokens list --url ${url}, then svc tokens revoke <name> --url ${url}`)
  ]]
}

const appParagraphs = ({ plan, rows }: Connected): ReadonlyArray<Paragraph> => {
  const apps = rows.filter(({ auto }) => auto === true)
  return apps.length === 0
    ? []
    : [[
      `${
        apps.map(({ name }) => name).join(" and ")
      } can use it too: add a connector with the URL ${plan.mcpUrl} in their settings.`
    ]]
}

export const print = Effect.fn("ConnectReport.print")(function*(connected: Connected) {
  const output = yield* Output
  yield* output.line()
  for (const row of connected.rows.filter(({ auto }) => auto !== true)) yield* printRow(row, connected.plan.entryName)
  const paragraphs = [movedParagraphs, finishParagraphs, revokeParagraphs, orphanParagraphs, appParagraphs]
    .flatMap((paragraphs) => paragraphs(connected))
  for (const paragraph of paragraphs) {
    yield* output.line()
    for (const line of paragraph) yield* output.line(line)
  }
  if (connected.warning !== null) {
    yield* output.line()
    yield* output.warn(connected.warning)
  }
})
