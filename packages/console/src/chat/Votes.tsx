// What a person thinks of an answer. The service keeps one score of a person for each run.
import { ThumbsDown, ThumbsUp } from "lucide"
import { useState } from "preact/hooks"
import { IconButton } from "../parts/Icon.tsx"
import { Problem } from "../parts/Problem.tsx"
import { svc, untilAccepted } from "../service/Service.ts"

interface Props {
  readonly run_id: string
  /** The score that the person has given before. */
  readonly before?: boolean | undefined
}

export const Votes = ({ before, run_id }: Props) => {
  const [given, setGiven] = useState<boolean | undefined>(before)
  const [problem, setProblem] = useState<unknown>(undefined)
  const give = (score: boolean) => {
    setProblem(undefined)
    untilAccepted(() => svc().feedback.give(run_id, { score })).then(() => setGiven(score), setProblem)
  }
  return (
    <>
      <IconButton of={ThumbsUp} label="Good answer" isPressed={given === true} onClick={() => give(true)} />
      <IconButton of={ThumbsDown} label="Bad answer" isPressed={given === false} onClick={() => give(false)} />
      <Problem error={problem} />
    </>
  )
}
