// What agents, teams and workflows can do in a program without a service: the methods of the client for runs.
// @effect-diagnostics asyncFunction:off -- it iterates over the events of the client
import type { Component, Kind, RunStream } from "@svc-runtime/client"

type Method<K extends Kind, Name extends "continue" | "continueStream" | "run" | "stream"> = Component<K>[Name]

type StreamOf<K extends Kind> = ReturnType<Method<K, "stream">>

/** The events of a run, as the client returns them. */
export type RunEvents<K extends Kind> = Pick<StreamOf<K>, keyof StreamOf<K>>

export interface Runs<K extends Kind> {
  /** Starts a run in this process, and waits for its end or its pause. */
  readonly run: Method<K, "run">
  /** Starts a run in this process when the stream is read, and returns its events. */
  readonly stream: (...parameters: Parameters<Method<K, "stream">>) => RunEvents<K>
  /** Continues a paused run with decisions, and waits for its end or its next pause. */
  readonly continue: Method<K, "continue">
  /** Continues a paused run when the stream is read, and returns the events that follow. */
  readonly continueStream: (...parameters: Parameters<Method<K, "continueStream">>) => RunEvents<K>
}

type AnyStream = RunStream<{ readonly event: string }, { readonly status?: unknown }>

/** A stream of a client that is loaded when the stream is read. */
export class LaterStream {
  readonly #opening: () => Promise<AnyStream>
  #opened: Promise<AnyStream> | undefined
  #stream: AnyStream | undefined
  #onCut: AnyStream["onCut"]

  constructor(opening: () => Promise<AnyStream>) {
    this.#opening = opening
  }

  #open(): Promise<AnyStream> {
    return this.#opened ??= this.#opening().then((stream) => {
      stream.onCut = this.#onCut
      return this.#stream = stream
    })
  }

  get run() {
    return this.#stream?.run
  }

  get lastEventIndex() {
    return this.#stream?.lastEventIndex
  }

  get onCut() {
    return this.#onCut
  }

  set onCut(call) {
    this.#onCut = call
    if (this.#stream !== undefined) this.#stream.onCut = call
  }

  get textStream(): AnyStream["textStream"] {
    return this.#text()
  }

  async *#text() {
    yield* (await this.#open()).textStream
  }

  async *[Symbol.asyncIterator]() {
    yield* await this.#open()
  }

  result() {
    return this.#open().then((stream) => stream.result())
  }
}
