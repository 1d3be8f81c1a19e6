// Approvals outside of React: a list that is read again while the page is visible.
import type { Approval, ApprovalsResource, JsonObject, Svc } from "@svc-runtime/client"

export type ApprovalsQuery = NonNullable<Parameters<ApprovalsResource["list"]>[0]>

export interface ApprovalsState {
  readonly approvals: ReadonlyArray<Approval>
  readonly isLoading: boolean
  readonly error: Error | undefined
}

const isHidden = (): boolean => typeof document !== "undefined" && document.visibilityState === "hidden"

export class ApprovalList {
  readonly #client: Svc
  readonly #query: ApprovalsQuery
  readonly #pollMillis: number
  #state: ApprovalsState = { approvals: [], isLoading: true, error: undefined }
  #control = new AbortController()
  /** Only the last one of several requests counts. */
  #requests = 0
  readonly #listeners = new Set<() => void>()

  constructor(client: Svc, query: ApprovalsQuery, pollMillis: number) {
    this.#client = client
    this.#query = query
    this.#pollMillis = pollMillis
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly state = (): ApprovalsState => this.#state

  #set(change: Partial<ApprovalsState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }

  readonly open = (): () => void => {
    this.#control = new AbortController()
    const poll = () => {
      if (!isHidden()) void this.refresh()
    }
    const timer = setInterval(poll, this.#pollMillis)
    document.addEventListener("visibilitychange", poll)
    void this.refresh()
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", poll)
      this.#control.abort(new Error("The component was unmounted"))
    }
  }

  readonly refresh = async (): Promise<void> => {
    const { signal } = this.#control
    const request = ++this.#requests
    const isLast = () => request === this.#requests && !signal.aborted
    try {
      const { data } = await this.#client.approvals.list(this.#query, { signal })
      if (isLast()) this.#set({ approvals: data, isLoading: false, error: undefined })
    } catch (error) {
      if (isLast()) this.#set({ isLoading: false, error: error as Error })
    }
  }

  async #resolve(id: string, status: "approved" | "rejected", data: JsonObject): Promise<void> {
    try {
      await this.#client.approvals.resolve(id, { status, resolution_data: data })
    } finally {
      // another person may have decided
      await this.refresh()
    }
  }

  readonly approve = (id: string, data: JsonObject = {}): Promise<void> => this.#resolve(id, "approved", data)

  readonly reject = (id: string, note?: string): Promise<void> =>
    this.#resolve(id, "rejected", note === undefined ? {} : { note })
}
