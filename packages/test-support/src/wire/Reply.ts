// The answer of a wire server, independent of the formats of providers. The servers translate it, streamed or
// not, as the request asks.

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** The text of the arguments, in the pieces that a stream sends. Need not be JSON. */
  readonly arguments: ReadonlyArray<string>
}

export interface TokenUsage {
  /** All input tokens, with the cached ones. */
  readonly input: number
  /** All output tokens, with those of reasoning. */
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
  readonly reasoning?: number
}

export interface Answer {
  /** The pieces of the thought and what has to come back with it. */
  readonly reasoning?: { readonly chunks: ReadonlyArray<string>; readonly signature: string }
  readonly text?: ReadonlyArray<string>
  readonly toolCalls?: ReadonlyArray<ToolCall>
  readonly finish?: "stop" | "length"
  readonly usage?: TokenUsage
}

export interface Failure {
  readonly status: number
  readonly message: string
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How a stream ends early: silence, a broken connection, a polite end, or something that is not JSON. */
export type Break = "stall" | "cut" | "close" | "malformed"

export type Reply =
  | {
    readonly _tag: "Answer"
    readonly answer: Answer
    /** Milliseconds between two events of a stream. None, when left out. */
    readonly everyMillis?: number | undefined
  }
  | { readonly _tag: "Failure"; readonly failure: Failure; readonly echoesKey: boolean }
  | { readonly _tag: "Broken"; readonly answer: Answer; readonly after: number; readonly how: Break }
  | { readonly _tag: "Raw"; readonly status: number; readonly contentType: string; readonly body: string }

export const answer = (answer: Answer, everyMillis?: number): Reply => ({ _tag: "Answer", answer, everyMillis })

export const text = (...chunks: ReadonlyArray<string>): Reply => answer({ text: chunks })

export const failure = (status: number, message: string, rest: Omit<Failure, "status" | "message"> = {}): Reply => ({
  _tag: "Failure",
  failure: { status, message, ...rest },
  echoesKey: false
})

/** Refuses the request and quotes the key that came with it, as careless providers do. */
export const unauthorized = (message: string): Reply => ({
  _tag: "Failure",
  failure: { status: 401, message, code: "invalid_api_key" },
  echoesKey: true
})

/** Sends `after` events of the answer, then breaks. Nothing, not even headers, is sent before a stall after 0. */
export const broken = (how: Break, after: number, answer: Answer): Reply => ({ _tag: "Broken", answer, after, how })

export const raw = (body: string, contentType = "application/json", status = 200): Reply => ({
  _tag: "Raw",
  status,
  contentType,
  body
})
