// What a person thinks of an answer. The service keeps one score of a person for each run.
import { ThumbsDown, ThumbsUp } from "lucide"
import { useEffect, useState } from "preact/hooks"
import { IconButton } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { caller, may } from "../service/Caller.ts"
import { svc, untilAccepted } from "../service/Service.ts"

/** The scores that the person gave in a session, by their runs. They are read once for each session. */
const votes = new Map<string, Promise<Map<string, unknown>>>()

const votesIn = (session_id: string): Promise<Map<string, unknown>> => {
  const read = votes.get(session_id) ??
    svc().feedback.list({ session_id, source: "user", limit: 100 }).then(
      ({ data }) =>
        new Map(
          data.filter(({ user_id }) => user_id === caller.value?.user_id)
            .map(({ run_id, score }) => [run_id, score])
        ),
      () => {
        votes.delete(session_id)
        return new Map()
      }
    )
  votes.set(session_id, read)
  return read
}

interface Props {
  readonly run_id: string
  /** The score that the person has given before, where it is known. */
  readonly before?: boolean | undefined
  /** The session of the run, in which the score is looked up. */
  readonly session_id?: string | undefined
}

export const Votes = ({ before, run_id, session_id }: Props) => {
  const [given, setGiven] = useState<unknown>(before)
  const [problem, setProblem] = useState<unknown>(undefined)
  useEffect(() => {
    if (session_id !== undefined && may("evals:read")) {
      void votesIn(session_id).then((scores) => setGiven(scores.get(run_id)))
    }
  }, [run_id, session_id])
  const give = (score: boolean) => {
    setProblem(undefined)
    untilAccepted(() => svc().feedback.give(run_id, { score })).then(() => {
      setGiven(score)
      if (session_id !== undefined) void votes.get(session_id)?.then((scores) => scores.set(run_id, score))
    }, setProblem)
  }
  return (
    <>
      <IconButton of={ThumbsUp} label="Good answer" isPressed={given === true} onClick={() => give(true)} />
      <IconButton of={ThumbsDown} label="Bad answer" isPressed={given === false} onClick={() => give(false)} />
      <Problem error={problem} />
    </>
  )
}
