// A variant of a component in the playground: a version, what the person has changed, and what its run answers. Runs
// execute stored versions, so changes are saved in a draft before they are tried.
import { type Signal, signal } from "@preact/signals"
import { SvcError } from "@svc-runtime/client"
import { Conversation, type Target } from "../chat/Conversation.ts"
import { type Config, isSame, overBase, withBase } from "../config/config.ts"
import { svc } from "../service/Service.ts"

export interface Place {
  readonly kind: Target["kind"]
  /** Of the component that the page is about. */
  readonly id: string
  /** Its config, if it is in code. */
  readonly code: Config | undefined
  /** The config in code that a config is based on. */
  readonly baseOf: (config: Config) => Config | undefined
  /** Of the stored component that gets the changes. */
  readonly storeId: string
  readonly storeName: string
  readonly isStored: boolean
}

/** Undefined: the component in code. */
export type Version = number | undefined

export class Variant {
  readonly name: string
  readonly version: Signal<Version>
  readonly stage: Signal<"code" | "draft" | "published">
  readonly saved: Signal<Config | undefined> = signal(undefined)
  readonly config: Signal<Config | undefined> = signal(undefined)
  readonly conversation: Signal<Conversation | undefined> = signal(undefined)
  readonly problem: Signal<unknown> = signal(undefined)
  /** The stored config, as this variant has last read or written it. */
  #seen: Config | undefined = undefined

  constructor(name: string, version: Version) {
    this.name = name
    this.version = signal(version)
    this.stage = signal(version === undefined ? "code" : "published")
  }

  isChanged(): boolean {
    const { config, saved } = this
    return saved.value !== undefined && config.value !== undefined && !isSame(saved.value, config.value)
  }

  #opened(config: Config, version: Version, stage: "code" | "draft" | "published") {
    this.saved.value = config
    this.config.value = config
    this.version.value = version
    this.stage.value = stage
  }

  /** The person may have typed on meanwhile. */
  #stored(config: Config, version: Version) {
    this.saved.value = config
    this.version.value = version
    this.stage.value = "draft"
  }

  /** Reads a version. What was changed in the one before is left. */
  async open({ baseOf, code = {}, storeId }: Place, version: Version, signal?: AbortSignal): Promise<void> {
    this.problem.value = undefined
    if (version === undefined) return this.#opened(code, undefined, "code")
    const { config = {}, stage } = await svc().components.version(storeId, version, { signal })
    this.#seen = config
    const base = baseOf(config)
    this.#opened(base === undefined ? config : withBase(config, base), version, stage)
  }

  /** Whether the draft is stored as this variant knows it. Another person or tab may have changed or published it. */
  async #isKnown(storeId: string, version: number): Promise<boolean> {
    try {
      const { config = {}, stage } = await svc().components.version(storeId, version)
      return stage === "draft" && (this.#seen === undefined || isSame(config, this.#seen))
    } catch (error) {
      if (error instanceof SvcError && error.status === 404) return false
      throw error
    }
  }

  /**
   * Stores what was changed, as a draft. A draft that another variant shows as well, or that was changed, published or
   * deleted elsewhere, is left as it is: then a new one is made.
   */
  async save(place: Place, others: ReadonlyArray<Version>): Promise<void> {
    const { baseOf, isStored, kind, storeId, storeName } = place
    const { config: { value: shown }, stage, version } = this
    if (shown === undefined || !this.isChanged()) return
    const base = baseOf(shown)
    const config = base === undefined ? shown : overBase(shown, base)
    const { components } = svc()
    const before = version.value
    const isOwn = before !== undefined && stage.value === "draft" && !others.includes(before)
    if (isOwn && await this.#isKnown(storeId, before)) {
      await components.updateVersion(storeId, before, { config })
      this.#seen = config
      return this.#stored(shown, before)
    }
    if (isStored) {
      const made = await components.createVersion(storeId, { config, stage: "draft" })
      this.#seen = config
      if (isOwn) {
        this.problem.value = new Error(
          `Version ${before} was changed elsewhere. Your changes are in the new draft, version ${made.version}`
        )
      }
      return this.#stored(shown, made.version)
    }
    await components.create({ name: storeName, component_id: storeId, component_type: kind, config, stage: "draft" })
    this.#seen = config
    this.#stored(shown, 1)
  }

  /** Unless it was changed, it is read again when it is shown. */
  forget(): void {
    if (!this.isChanged()) this.saved.value = undefined
  }

  /** Its run continues without a reader. */
  leave(): void {
    this.conversation.value?.close()
    this.conversation.value = undefined
  }

  /** The version becomes the one that runs use. */
  async publish({ storeId }: Place): Promise<void> {
    const { stage, version: { value: version } } = this
    if (version === undefined) return
    if (stage.value === "draft" && !await this.#isKnown(storeId, version)) {
      throw new Error(
        `Version ${version} was changed elsewhere, and nothing was published. Choose it again to see what it is now`
      )
    }
    if (stage.value === "draft") await svc().components.updateVersion(storeId, version, { stage: "published" })
    else await svc().components.setCurrent(storeId, version)
    stage.value = "published"
  }

  /** What runs of it are runs of. */
  target({ id, kind, storeId }: Place): Target {
    return { kind, id: this.version.value === undefined ? id : storeId }
  }

  async run(place: Place, message: string): Promise<void> {
    this.conversation.value?.close()
    const conversation = new Conversation(this.target(place), undefined)
    this.conversation.value = conversation
    const { value: version } = this.version
    // also when the person has it answer again
    conversation.choices = version === undefined ? {} : { version }
    await conversation.send({ message })
  }
}
