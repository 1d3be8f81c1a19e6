// What the service needs of a platform, such as Slack: to read what it sends, and to write messages. The service does
// the rest: it stores what arrives once, finds the session and the user, executes the run, and decides when to write.
import type * as Json from "@svc-runtime/domain/Json"

/** A request of a platform to the URL of a channel, before it is verified. */
export interface Delivery {
  readonly method: string
  /** The whole URL that the platform has called, as the settings of the service say it is public. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** At most 1 MiB. */
  readonly body: Uint8Array
  /** Milliseconds since 1970. */
  readonly at: number
}

/** What the platform gets as the response, at once. */
export interface Acknowledgement {
  /** 200 when left out. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

export interface Received {
  readonly acknowledgement: Acknowledgement
  /** They are stored before the acknowledgement is sent. */
  readonly events: ReadonlyArray<Event>
}

export interface Sender {
  /** What the platform calls the person, unique on this channel: it never changes. */
  readonly id: string
  /** As people see it. */
  readonly name?: string | undefined
}

/** A file that a person has sent. Its bytes are downloaded when the run starts. */
export interface SentFile {
  readonly name?: string | undefined
  readonly mediaType?: string | undefined
  /** In bytes, if the platform says it. */
  readonly size?: number | undefined
  /** What `download` needs. */
  readonly source: Json.Object
}

interface Arrived {
  /** The same when the platform delivers again. Unique on this channel, at most 200 characters. */
  readonly id: string
  /** The conversation: events with one thread are handled in order. At most 300 characters. */
  readonly thread: string
  /** What `post` needs to write there. It is stored. */
  readonly place: Json.Object
  readonly sender: Sender
  /** Only this person and the agent see the conversation. */
  readonly isDirect: boolean
}

/** A person has written a text. */
export interface Message extends Arrived {
  readonly type: "message"
  /** Without the mention of the agent. Plain text or Markdown. */
  readonly text: string
  /** What the text is about, such as the issue below which it stands. The agent reads it before the text. */
  readonly about?: string | undefined
  readonly files?: ReadonlyArray<SentFile> | undefined
}

/** A person has used a command, such as `/new`. */
export interface Command extends Arrived {
  readonly type: "command"
  /** Without the slash. */
  readonly name: string
  readonly text: string
}

/** A person has pressed a button of a prompt, or sent its form. */
export interface Press extends Arrived {
  readonly type: "press"
  /** `id` of the prompt. */
  readonly prompt: string
  /** `id` of the choice. */
  readonly choice: string
  /** By the names of the fields of the form. */
  readonly values?: Json.Object | undefined
}

/** What a person did on the platform. */
export type Event = Command | Message | Press

/** A field of a form. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly type: "text" | "paragraph" | "number" | "boolean" | "choice"
  /** Of `choice`. */
  readonly options?: ReadonlyArray<string> | undefined
  readonly isRequired: boolean
  readonly value?: string | undefined
}

/** A button. With a form, the platform asks for its fields first, if it can. */
export interface Choice {
  /** At most 20 letters, digits and `_`. */
  readonly id: string
  readonly label: string
  readonly style: "primary" | "danger" | "plain"
  readonly form?: { readonly title: string; readonly fields: ReadonlyArray<Field> } | undefined
}

/** Buttons under a message. */
export interface Prompt {
  /** At most 24 letters, digits and `_`: with `:` and the id of a choice it fits into 64 bytes. */
  readonly id: string
  readonly choices: ReadonlyArray<Choice>
}

/** A file for people. */
export interface File {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
}

export interface OutgoingMessage {
  /** Markdown, within `limits.text`, as `split` of the adapter counts. Empty if there are only files. */
  readonly text: string
  /** A line in a quiet form, such as the tool that is called. It is gone with the next edit. */
  readonly status?: string | undefined
  readonly prompt?: Prompt | undefined
  readonly files?: ReadonlyArray<File> | undefined
  /** The same for each attempt to post this message. Platforms that can refuse a repetition are given it. */
  readonly key: string
  /** The message is a question that this person answers in words. */
  readonly asks?: { readonly sender: string; readonly placeholder?: string | undefined } | undefined
}

/** What each call of an adapter has. */
export interface Context {
  /** Aborted at the end of the time, and when the service stops. */
  readonly signal: AbortSignal
  /** Responses are bounded: 10 MiB, and those of downloads by the limit of files. Redirects are not followed. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /**
   * The prompt with this id, for a platform that asks for the fields of a form when a button is pressed. Undefined: it
   * is not known, or was decided.
   */
  readonly prompt?: ((id: string) => Promise<Prompt | undefined>) | undefined
}

export interface Limits {
  /** The most characters (UTF-16 units) of a message in the form of the platform. */
  readonly text: number
  /** The least milliseconds between two edits in one conversation. Undefined: messages cannot be edited. */
  readonly editEvery?: number | undefined
  /** The least milliseconds between two posts in one conversation. */
  readonly postEvery: number
  /** The same in conversations that are not direct, if they have other limits. */
  readonly editEveryInGroups?: number | undefined
  readonly postEveryInGroups?: number | undefined
  /** Whether edits of all conversations of the channel count together. */
  readonly areEditsShared?: boolean | undefined
  /** The most bytes of a file that is sent to people. Zero: none can be. */
  readonly file: number
  /** Whether the platform shows buttons, and asks for fields of forms. Without, people answer by text. */
  readonly hasButtons: boolean
  readonly hasForms: boolean
}

/** A platform with its settings. Its methods may be called at once for several conversations. */
export interface Adapter {
  /** In lower case, such as `slack`. */
  readonly platform: string
  readonly limits: Limits
  /**
   * Verifies and reads a request. It is called before anything is stored, without a call to the platform where the
   * time to acknowledge is short. Throws `ChannelError` (`forged`, `malformed`).
   */
  readonly receive: (delivery: Delivery, context: Context) => Promise<Received>
  /**
   * Listens over a connection, or by polling, until the signal is aborted. One node of the service does it at a time.
   * `accept` returns when the events are stored: acknowledge them after it. It throws what it cannot mend by itself,
   * and is called again later. Undefined: the platform calls the URL.
   */
  readonly listen?:
    | ((accept: (events: ReadonlyArray<Event>) => Promise<void>, context: Context) => Promise<void>)
    | undefined
  /**
   * Adds what the platform does not send with an event, such as the name of the sender. Called before the event is
   * handled, for at most 5 seconds. When it fails, the event is handled as it arrived.
   */
  readonly complete?: ((event: Event, context: Context) => Promise<Event>) | undefined
  /** Writes a message and gives its id, at most 300 characters. */
  readonly post: (place: Json.Object, message: OutgoingMessage, context: Context) => Promise<string>
  /** Replaces the text, the status and the prompt of a message. It may be repeated. */
  readonly edit?:
    | ((place: Json.Object, id: string, message: OutgoingMessage, context: Context) => Promise<void>)
    | undefined
  /** The id of the message that was posted with this key, when it is not known whether it was. */
  readonly find?: ((place: Json.Object, key: string, context: Context) => Promise<string | undefined>) | undefined
  /** Shows that an answer is being written, for a few seconds. Failures are ignored. */
  readonly showTyping?: ((place: Json.Object, context: Context) => Promise<void>) | undefined
  readonly download?: ((file: SentFile, context: Context) => Promise<Uint8Array>) | undefined
  /** The place of a conversation with a person, for messages without a question before them. */
  readonly directPlace?: ((sender: string, context: Context) => Promise<Json.Object>) | undefined
  /** Markdown in parts of at most `limits.text`, at ends of paragraphs. A block of code that is split stays one. */
  readonly split: (markdown: string) => ReadonlyArray<string>
  /** Calls the platform with the settings, and says who the agent is there. Throws `ChannelError`. */
  readonly test: (context: Context) => Promise<string>
}
