// The state of an evaluation, and how far it is.
import { Status } from "../parts/Status.tsx"

interface Props {
  readonly status: string
  readonly done: number
  readonly total: number
}

export const isOver = (status: string): boolean => status !== "PENDING" && status !== "RUNNING"

export const Progress = ({ done, status, total }: Props) => (
  <>
    <Status value={status} /> {isOver(status) ? null : (
      <>
        <progress aria-label="Progress" value={done} max={Math.max(total, 1)} /> {done} of {total}
      </>
    )}
  </>
)
