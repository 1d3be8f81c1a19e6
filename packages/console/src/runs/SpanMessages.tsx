// What a model was sent and what it wrote, as the messages of a conversation. Spans keep them in the form of
// OpenTelemetry: a list of roles with parts.
import { Folded } from "../parts/Json.tsx"
import { Markdown } from "../parts/Markdown.tsx"
import { parsed } from "../parts/parsed.ts"
import { Values } from "../parts/Values.tsx"

interface Part {
  readonly type: string
  readonly content?: unknown
  readonly name?: unknown
  readonly arguments?: unknown
  readonly response?: unknown
  readonly result?: unknown
}

interface SpanMessage {
  readonly role: string
  readonly parts: ReadonlyArray<Part>
}

const isMessage = (value: unknown): value is SpanMessage =>
  typeof value === "object" && value !== null && "role" in value && "parts" in value && Array.isArray(value.parts)

/** Undefined: the value is no list of messages. */
export const messagesOf = (value: unknown): ReadonlyArray<SpanMessage> | undefined =>
  Array.isArray(value) && value.length > 0 && value.every(isMessage) ? value : undefined

const given = (value: unknown): unknown => typeof value === "string" ? parsed(value) ?? value : value

const PartView = ({ part, role }: { readonly part: Part; readonly role: string }) => {
  switch (part.type) {
    case "text":
      return role === "system"
        ? <p class="plain">{String(part.content ?? "")}</p>
        : <Markdown text={String(part.content ?? "")} />
    case "reasoning":
      return <Folded title="Reasoning" value={part.content} />
    case "tool_call":
      return (
        <>
          <p>
            Calls <code>{String(part.name ?? "")}</code>
          </p>
          <Values value={given(part.arguments)} />
        </>
      )
    case "tool_call_response":
      return <Values value={given(part.response ?? part.result)} />
    default:
      return <Values value={part} />
  }
}

export const SpanMessages = ({ messages }: { readonly messages: ReadonlyArray<SpanMessage> }) => (
  <ol class="span-messages">
    {messages.map(({ parts, role }, index) => (
      <li key={index} class={role}>
        <p class="label">{role}</p>
        {parts.map((part, index) => <PartView key={index} part={part} role={role} />)}
      </li>
    ))}
  </ol>
)
