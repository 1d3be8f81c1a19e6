// One streamed call: it is opened and read up to the first part of the answer (until then it can be retried), and then
// read part by part with a time limit for each. The stream ends after its finish part. A connection that closes before
// that is a failure, even without an error.
import type { LanguageModelV4StreamPart, SharedV4Warning } from "@ai-sdk/provider"
import * as Monotonic from "@svc-runtime/domain/Monotonic"
import { Array as Arr, Cause, Clock, Data, Duration, Effect, Exit, Stream } from "effect"
import type { Pull, Scope } from "effect"
import type { AiError, Response } from "effect/ai"
import * as AiSdkParts from "./AiSdkParts.ts"
import type { CircuitBreaker } from "./CircuitBreaker.ts"
import type { PartReader, Reading } from "./DeltaBypass.ts"
import * as ModelError from "./ModelError.ts"
import * as ModelRetry from "./ModelRetry.ts"
import * as WholeCharacters from "./WholeCharacters.ts"
import * as WordListener from "./WordListener.ts"

/** A value that a provider's client has thrown. */
export class Thrown extends Data.TaggedError("Thrown")<{ readonly cause: unknown }> {}

export interface Options {
  readonly open: (abortSignal: AbortSignal) => PromiseLike<PartReader>
  readonly declared: AiSdkParts.Declared
  readonly policy: ModelRetry.Policy
  readonly breaker: CircuitBreaker
  readonly source: ModelError.Source
  /** Gets the words of an answer that has begun. */
  readonly takeWords?: WordListener.TakeWords | undefined
  /** The warnings of the provider's client about settings that it does not send. */
  readonly onWarnings: (warnings: ReadonlyArray<SharedV4Warning>) => Effect.Effect<void>
}

type SentParts = ReadonlyArray<LanguageModelV4StreamPart>
type Parts = ReadonlyArray<Response.StreamPartEncoded>
type Next = Pull.Pull<Arr.NonEmptyReadonlyArray<Response.StreamPartEncoded>, AiError.AiError>

interface Reader extends PartReader {
  readonly whole: ReturnType<typeof WholeCharacters.make>
}

interface Opened {
  readonly reader: Reader
  readonly abort: AbortController
  readonly parts: Parts
  /** The last part has arrived. */
  isFinished: boolean
  /** The response was read to its end: nothing is left to abort. */
  isRead: boolean
}

/** Runs a call of a provider's client; the signal aborts when the fiber is interrupted. */
export const attempt = <A>(
  call: (abortSignal: AbortSignal) => PromiseLike<A>,
  source: ModelError.Source
): Effect.Effect<A, AiError.AiError> =>
  Effect.catchTag(
    Effect.tryPromise({ try: call, catch: (cause) => new Thrown({ cause }) }),
    "Thrown",
    ({ cause }) => ModelError.fail(cause, source)
  )

/** Limits the time that a read waits. */
interface Silence {
  readonly begin: (onLimit: () => void) => void
  readonly end: () => void
}

/** One fiber watches all reads of a stream: a timer for each would cost more than the read. */
const watchSilence = Effect.fnUntraced(function*(limit: Duration.Duration) {
  const clock = yield* Clock.Clock
  const millis = Duration.toMillis(limit)
  let current: { readonly until: number; readonly onLimit: () => void } | undefined
  const watch = (delay: number): Effect.Effect<void> =>
    Effect.flatMap(Effect.sleep(delay), () => {
      const left = current === undefined ? millis : current.until - Monotonic.millisOf(clock)
      return current === undefined || left > 0 ? watch(left) : Effect.sync(current.onLimit)
    })
  yield* Effect.forkScoped(watch(millis))
  const silence: Silence = {
    begin: (onLimit) => {
      current = { until: Monotonic.millisOf(clock) + millis, onLimit }
    },
    end: () => {
      current = undefined
    }
  }
  return silence
})

const encoded = (parts: SentParts, { declared }: Options, whole: Reader["whole"]): Parts =>
  whole(parts.flatMap((part) => AiSdkParts.fromStreamPart(part, declared)))

/** The parts for the reader of the stream, or why there are none. */
const decoded = (
  parts: SentParts,
  options: Options,
  whole: Reader["whole"]
): Effect.Effect<Parts, AiError.AiError> => {
  const [first] = parts
  if (first?.type === "error") return ModelError.fail(first.error, options.source)
  if (first?.type === "stream-start") return Effect.as(options.onWarnings(first.warnings), [])
  if (first?.type === "finish" && first.finishReason.unified === "interrupted") {
    return Effect.fail(ModelError.interrupted(options.source))
  }
  return Effect.succeed(encoded(parts, options, whole))
}

const isDelta = ({ type }: LanguageModelV4StreamPart): boolean => type === "text-delta" || type === "reasoning-delta"

/** The next parts, or undefined at the end of the stream. May be empty. They are decoded where they arrive. */
const read = (
  reader: Reader,
  options: Options,
  silence?: Silence,
  takeWords?: WordListener.TakeWords
): Effect.Effect<Parts | undefined, AiError.AiError> =>
  Effect.callback((resumeReader) => {
    const { policy, source } = options
    let isWaiting = true
    const resume = (result: Effect.Effect<Parts | undefined, AiError.AiError>) => {
      isWaiting = false
      resumeReader(result)
    }
    const onLimit = () => resume(Effect.fail(ModelError.timedOut(source, policy.idleTimeout, true)))

    const isTaken = (parts: Parts): boolean => {
      const words = takeWords === undefined || !isWaiting ? undefined : WordListener.decoded(parts)
      return words !== undefined && takeWords?.(words) === true
    }

    const reading: Reading = {
      onParts: (parts) => {
        silence?.end()
        if (parts === undefined) return resume(Effect.undefined)
        if (takeWords === undefined || !parts.every(isDelta)) {
          return resume(Effect.suspend(() => decoded(parts, options, reader.whole)))
        }
        try {
          const words = encoded(parts, options, reader.whole)
          if (!isTaken(words)) return resume(Effect.succeed(words))
        } catch (defect) {
          return resume(Effect.die(defect))
        }
        // a word that was shown can have led to the end of its run
        if (isWaiting) next()
      },
      onFailure: (cause) => {
        silence?.end()
        resume(ModelError.fail(cause, source))
      }
    }

    const next = () => {
      silence?.begin(onLimit)
      reader.read(reading)
    }

    next()
    return Effect.sync(() => {
      isWaiting = false
    })
  })

const isFinish = (part: Response.StreamPartEncoded): part is Response.FinishPartEncoded => part.type === "finish"

const counted = (parts: Parts, empty: ModelRetry.EmptyAnswers): Parts =>
  parts.map((part) => isFinish(part) ? { ...part, usage: empty.counted(part.usage) } : part)

/** Before such a part a call can be retried. */
const begins = (part: Response.StreamPartEncoded): boolean => isFinish(part) || AiSdkParts.hasContent(part)

const isBlankUntil = (reason: Response.FinishReason) => (part: Response.StreamPartEncoded): boolean =>
  part.type === "finish" ? part.reason === reason : !AiSdkParts.hasContent(part)

const endsInError = isBlankUntil("error")

/** An answer of only these parts is a failure without an error. After a broken call the model is informed instead. */
const isNothing = (part: Response.StreamPartEncoded): boolean =>
  endsInError(part) && !(isFinish(part) && AiSdkParts.hasUnreadableCall(part.metadata))

/** An answer of only these parts is empty: it is asked for once more, and then it is valid. */
const isEmpty = isBlankUntil("stop")

/** Opens the call and reads until the answer has begun. */
const open = (options: Options, empty: ModelRetry.EmptyAnswers): Effect.Effect<Opened, AiError.AiError> =>
  Effect.suspend(() => {
    const abort = new AbortController()
    return Effect.gen(function*() {
      yield* empty.sending
      const opening = yield* attempt(() => options.open(abort.signal), options.source)
      const reader: Reader = {
        read: (reading) => opening.read(reading),
        cancel: () => opening.cancel(),
        whole: WholeCharacters.make()
      }
      const parts: Array<Response.StreamPartEncoded> = []
      let hasBegun = false
      while (!hasBegun) {
        const next = yield* read(reader, options)
        if (next === undefined) return yield* ModelError.interrupted(options.source)
        parts.push(...next)
        hasBegun = next.some(begins)
      }
      if (parts.every(isNothing)) return yield* ModelError.emptyAnswer(options.source)
      if (parts.every(isEmpty)) yield* empty.again(options.source, parts.find(isFinish)?.usage)
      const isFinished = parts.some(isFinish)
      const opened: Opened = {
        reader,
        abort,
        parts: isFinished ? counted(parts, empty) : parts,
        isFinished,
        isRead: false
      }
      return opened
    }).pipe(Effect.onExit((exit) => Effect.sync(() => Exit.isSuccess(exit) ? undefined : abort.abort())))
  })

/** Returns the connection of a complete answer to the pool. Failures are ignored. */
const drain = (opened: Opened, options: Options): Effect.Effect<void> =>
  read(opened.reader, options).pipe(
    Effect.repeat({ while: (parts) => parts !== undefined }),
    Effect.tap(() => Effect.sync(() => void (opened.isRead = true))),
    Effect.timeoutOption("1 second"),
    Effect.ignore
  )

/** This is done for each word: the effects of one read are made once. */
const rest = (opened: Opened, options: Options, silence: Silence, empty: ModelRetry.EmptyAnswers): Next => {
  let first = opened.parts
  const given = (parts: Parts | undefined): Next => {
    if (parts === undefined) return Effect.fail(ModelError.interrupted(options.source))
    opened.isFinished = parts.some(isFinish)
    const all = opened.isFinished ? counted(parts, empty) : parts
    return Arr.isReadonlyArrayNonEmpty(all) ? Effect.succeed(all) : next
  }
  const following = Effect.flatMap(read(opened.reader, options, silence, options.takeWords), given)
  const next: Next = Effect.suspend(() => {
    const parts = first
    first = []
    if (Arr.isReadonlyArrayNonEmpty(parts)) return Effect.succeed(parts)
    return opened.isFinished ? Effect.andThen(drain(opened, options), Cause.done()) : following
  })
  return next
}

const close = ({ abort, isRead, reader }: Opened): Effect.Effect<void> =>
  Effect.sync(() => {
    if (isRead) return
    abort.abort()
    // Not awaited: a cancelled branch of a teed stream settles only with the other one.
    reader.cancel().catch(() => {})
  })

export const make = (options: Options): Stream.Stream<Response.StreamPartEncoded, AiError.AiError> => {
  const empty = ModelRetry.emptyAnswers(options.policy)
  const opening = ModelRetry.retry(
    options.breaker(
      ModelRetry.limit(open(options, empty), options.policy.startTimeout, options.source, false),
      options.source
    ),
    options.policy,
    options.source
  )
  const opened: Effect.Effect<Opened, AiError.AiError, Scope.Scope> = Effect.uninterruptibleMask((restore) =>
    Effect.tap(restore(opening), (opened) => Effect.addFinalizer(() => close(opened)))
  )
  return Stream.unwrap(Effect.gen(function*() {
    const answer = yield* opened
    const silence = yield* watchSilence(options.policy.idleTimeout)
    return Stream.fromPull(Effect.sync(() => rest(answer, options, silence, empty)))
  }))
}
