// A conversation with a component: its turns, and the run that executes. Events change turns at once; the page is drawn
// a few times a second, however many events there are.
import { type Signal, signal } from "@preact/signals"
import {
  type Component,
  type ContinueInput,
  type Kind,
  type RunInput,
  type RunReference,
  SvcError
} from "@svc-runtime/client"
import { isConflict } from "../parts/ServiceError.ts"
import { signedIn, svc } from "../service/Service.ts"
import { ofRecord, type Recorded } from "./StoredTurns.ts"
import * as Turn from "./Turn.ts"
import { TurnEvents } from "./TurnEvents.ts"

export interface Target {
  readonly kind: Kind
  readonly id: string
}

/** The runs of all kinds are used in the same way. */
type Runs = Component<Kind>

export const runsOf = ({ id, kind }: Target): Runs => svc()[kind](id)

type Stream = ReturnType<Runs["watch"]>
type Streamed = (signal: AbortSignal) => Stream

interface Waiting {
  readonly requirements?: ReadonlyArray<{ readonly id: string }> | null | undefined
  readonly step_requirements?: Turn.Turn["stepRequirements"] | null | undefined
  readonly error_requirements?: Turn.Turn["errorRequirements"] | null | undefined
}

/** Which decisions a paused run waits for. */
const waitsFor = ({ error_requirements, requirements, step_requirements }: Waiting): string =>
  JSON.stringify([
    (requirements ?? []).map(({ id }) => id),
    (step_requirements ?? []).map(({ id, resolved }) => [id, resolved]),
    (error_requirements ?? []).map(({ id }) => id)
  ])

const waitingFor = ({ errorRequirements, requirements, stepRequirements }: Turn.Turn): string =>
  waitsFor({ requirements, step_requirements: stepRequirements, error_requirements: errorRequirements })

/** Milliseconds from a change to its drawing. People read slower than that. */
const drawing = 100

export class Conversation {
  readonly turns: Signal<ReadonlyArray<Turn.Turn>> = signal([])
  /** Increases when turns have changed. */
  readonly frame: Signal<number> = signal(0)
  readonly session: Signal<string | undefined>
  readonly target: Target
  /** What the person has chosen for the next runs: the version, and what the component offers. */
  choices: Pick<RunInput, "model" | "model_settings" | "version"> = {}
  /** A stored run can still execute while the person sends the next message. */
  readonly #readings = new Map<Turn.Turn, AbortController>()
  /** Each turn with the one that it comes after, in the order of acceptance. `turns` are the path that is shown. */
  readonly #before = new Map<Turn.Turn, Turn.Turn | undefined>()
  /** A decision continues what the events before it have begun. */
  readonly #events = new WeakMap<Turn.Turn, TurnEvents>()
  #isOpen: boolean
  #isDrawn = true

  constructor(target: Target, session: string | undefined) {
    this.target = target
    this.session = signal(session)
    this.#isOpen = session === undefined
  }

  #changed() {
    if (!this.#isDrawn) return
    this.#isDrawn = false
    setTimeout(() => {
      this.#isDrawn = true
      this.frame.value++
    }, drawing)
  }

  /**
   * Reads the session's runs, once. What was sent before they are there comes after them. A run that executes is
   * followed from its first event, so no word is lost by a reload.
   */
  async open(control: AbortSignal): Promise<void> {
    const session_id = this.session.value
    if (this.#isOpen || session_id === undefined) return
    const records = await svc().sessions.runs(session_id, {}, { signal: control }) as ReadonlyArray<Recorded>
    const roots = records.filter(({ parent_run_id: parent }) => !parent)
    const all = roots.map((record) => ofRecord(record, session_id, records))
    const turns = all.filter((_, index) => roots[index]?.is_on_path !== false)
    const last = turns.at(-1)
    // the list leaves out what a paused run waits for
    if (last?.run !== undefined && last.root.state === "paused") {
      const { error_requirements: errors, requirements, step_requirements: steps } = await this.#paused(
        last.run,
        control
      )
      Object.assign(last, {
        requirements: requirements ?? [],
        stepRequirements: steps ?? [],
        errorRequirements: errors ?? []
      })
    }
    control.throwIfAborted()
    this.#isOpen = true
    const sent = this.turns.value
    const known = new Set(sent.map(({ run }) => run?.run_id))
    const byRun = new Map([...all, ...sent].map((turn) => [turn.run?.run_id, turn]))
    all.forEach((turn, index) => {
      const previous = roots[index]?.previous_run_id ?? undefined
      const stored = known.has(turn.run?.run_id) ? byRun.get(turn.run?.run_id) ?? turn : turn
      this.#before.set(stored, previous === undefined ? undefined : byRun.get(previous))
    })
    for (const turn of sent) if (!this.#before.has(turn)) this.#before.set(turn, last)
    this.turns.value = [...turns.filter(({ run }) => !known.has(run?.run_id)), ...sent]
    if (last?.run !== undefined && Turn.isExecuting(last) && !known.has(last.run.run_id)) {
      void this.#follow(last, this.#watched(last.run))
    }
  }

  /** Shows runs that the service has begun in the session, such as those with results of background tasks. */
  async join(run_ids: ReadonlyArray<string>, control: AbortSignal): Promise<void> {
    const session_id = this.session.value
    const isKnown = (run_id: string) => [...this.#before.keys()].some(({ run }) => run?.run_id === run_id)
    if (session_id === undefined || run_ids.every(isKnown)) return
    const records = await svc().sessions.runs(session_id, {}, { signal: control }) as ReadonlyArray<Recorded>
    control.throwIfAborted()
    for (const run_id of run_ids) {
      const record = records.find((each) => each.run_id === run_id)
      if (record === undefined || record.is_on_path === false || isKnown(run_id)) continue
      const turn = ofRecord(record, session_id, records)
      this.#before.set(turn, this.turns.value.at(-1))
      this.turns.value = [...this.turns.value, turn]
      if (turn.run !== undefined && Turn.isExecuting(turn)) void this.#follow(turn, this.#watched(turn.run))
    }
    this.#changed()
  }

  async #paused(run: RunReference, signal: AbortSignal): Promise<Partial<Recorded>> {
    return await runsOf(this.target).get(run, { signal })
  }

  #watched(run: RunReference, after?: number): Streamed {
    return (signal) => runsOf(this.target).watch(run, { after, signal })
  }

  /** The stored runs can have a run that was sent before they were read. */
  #onlyOnce(turn: Turn.Turn) {
    if (turn.run === undefined) return
    const { run_id } = turn.run
    const isOther = (each: Turn.Turn) => each !== turn && each.run?.run_id === run_id
    if (!this.turns.value.some(isOther)) return
    this.turns.value.filter(isOther).forEach((each) => {
      this.#readings.get(each)?.abort()
      this.#before.delete(each)
    })
    this.turns.value = this.turns.value.filter((each) => !isOther(each))
  }

  /** A person whose token has expired signs in again, and the stream reads on after its last event. */
  async #follow(
    turn: Turn.Turn,
    streamed: Streamed,
    accepted = () => {}
  ): Promise<void> {
    this.#readings.get(turn)?.abort()
    const control = new AbortController()
    this.#readings.set(turn, control)
    turn.again = undefined
    const events = this.#events.get(turn) ?? new TurnEvents(turn)
    this.#events.set(turn, events)
    const stream = streamed(control.signal)
    try {
      for await (const event of stream) {
        accepted()
        const { run } = turn
        events.add(event)
        if (run === undefined) this.#onlyOnce(turn)
        if (turn.run !== undefined && this.session.value !== turn.run.session_id) {
          this.session.value = turn.run.session_id
        }
        this.#changed()
      }
    } catch (error) {
      if (control.signal.aborted) return
      const rest = turn.run === undefined || stream.lastEventIndex === undefined
        ? streamed
        : this.#watched(turn.run, stream.lastEventIndex)
      const again = () => this.#follow(turn, rest, accepted)
      if (error instanceof SvcError && error.status === 401) {
        return await signedIn(control.signal).then(again, () => undefined)
      }
      if (Turn.isExecuting(turn)) {
        turn.root.state = "failed"
        turn.again = () => {
          turn.error = undefined
          turn.root.state = "executing"
          turn.version++
          this.#changed()
          void again()
        }
      }
      turn.error = error
    }
    turn.version++
    this.#changed()
  }

  /** The turns that come after the same one as this turn, which is one of them. */
  branchesOf(turn: Turn.Turn): ReadonlyArray<Turn.Turn> {
    const before = this.#before.get(turn)
    return [...this.#before.keys()].filter((each) => each.run !== undefined && this.#before.get(each) === before)
  }

  /** Shows the branch of a turn up to its last turn. The next message comes after that. */
  async show(turn: Turn.Turn): Promise<void> {
    if (turn.run === undefined) return
    await runsOf(this.target).switch(turn.run)
    const within = new Set([turn])
    let last: Turn.Turn | undefined = turn
    for (const [each, before] of this.#before) {
      if (before === undefined || !within.has(before)) continue
      within.add(each)
      last = each
    }
    const path: Array<Turn.Turn> = []
    for (; last !== undefined; last = this.#before.get(last)) path.unshift(last)
    this.turns.value = path
  }

  /** The run before a turn, for a request. */
  #placeOf(turn: Turn.Turn) {
    let before = this.#before.get(turn)
    while (before !== undefined && before.run === undefined) before = this.#before.get(before)
    return { previous_run_id: before?.run?.run_id ?? "start" }
  }

  /** `accepted` is called when the service has the message. It is sent instead of that of the turn `instead`. */
  async send(
    input: RunInput & { readonly message: string },
    accepted = () => {},
    instead?: Turn.Turn
  ): Promise<void> {
    const turn = Turn.make(
      input.message,
      (input.files ?? []).map((file) => "name" in file ? String(file.name) : "file")
    )
    const shown = this.turns.value
    this.#before.set(turn, instead === undefined ? shown.at(-1) : this.#before.get(instead))
    this.turns.value = [...(instead === undefined ? shown : shown.slice(0, shown.indexOf(instead))), turn]
    const session_id = this.session.value
    const fields = {
      ...this.choices,
      ...input,
      ...(session_id === undefined ? {} : { session_id }),
      ...(instead === undefined || session_id === undefined ? {} : this.#placeOf(instead))
    }
    // a message that is sent again starts no second run
    const idempotencyKey = turn.key
    await this.#follow(
      turn,
      (signal) => runsOf(this.target).stream(fields, { idempotencyKey, signal }),
      accepted
    )
  }

  /** Continues a paused run with decisions. */
  async decide(turn: Turn.Turn, decisions: ContinueInput): Promise<void> {
    const { run } = turn
    if (run === undefined) return
    turn.error = undefined
    turn.root.state = "executing"
    let isAccepted = false
    const accepted = () => {
      if (!isAccepted) Object.assign(turn, Turn.decided)
      isAccepted = true
    }
    turn.version++
    this.#changed()
    await this.#follow(
      turn,
      (signal) => runsOf(this.target).continueStream(run, decisions, { signal }),
      accepted
    )
    // a refused decision leaves the run paused, and the person what was entered
    if (turn.error !== undefined && !isAccepted) {
      turn.root.state = "paused"
      // its buttons are there again
      turn.again = undefined
      turn.version++
      this.#changed()
      const { error } = turn
      if (!isConflict(error)) return
      await this.reread(turn)
      // another decision counts, and not the one that was made here
      turn.error ??= error
      turn.version++
      this.#changed()
    }
  }

  /**
   * Reads a paused run again: it may be decided on another page. What was entered here stays while the run waits for
   * the same.
   */
  async reread(turn: Turn.Turn, signal?: AbortSignal): Promise<void> {
    const { run } = turn
    if (run === undefined || turn.root.state !== "paused") return
    const now: Partial<Recorded> = await runsOf(this.target).get(run, { signal })
    if (now.status === "PAUSED" && waitsFor(now) === waitingFor(turn)) return
    const records = await svc().sessions.runs(run.session_id, {}, { signal }) as ReadonlyArray<Recorded>
    const record = records.find(({ run_id }) => run_id === run.run_id)
    if (record === undefined || turn.root.state !== "paused") return
    const { error_requirements, requirements, step_requirements } = now
    const { error, errorRequirements, figures, followups, requirements: waiting, root, stepRequirements } = ofRecord(
      { ...record, error_requirements, requirements, step_requirements },
      run.session_id,
      records
    )
    const { version } = turn
    const read = { error, errorRequirements, figures, followups, requirements: waiting, root, stepRequirements }
    Object.assign(turn, { again: undefined, ...read })
    turn.version = version + 1
    this.#events.delete(turn)
    this.#changed()
    if (Turn.isExecuting(turn)) await this.#follow(turn, this.#watched(run))
  }

  async cancel(turn: Turn.Turn): Promise<void> {
    if (turn.run !== undefined) return runsOf(this.target).cancel(turn.run)
    // no event has named the run yet: the service ends it when its only reader leaves
    this.#readings.get(turn)?.abort()
    turn.root.state = "cancelled"
    turn.version++
    this.#changed()
  }

  close(): void {
    this.#readings.forEach((control) => control.abort())
  }
}
