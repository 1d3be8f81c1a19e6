// How the demo model judges answers: by the share of wanted words that an answer has.

/** The names of the formats in which a service asks for a verdict. */
export const scoreFormat = "EvaluationScore"
export const verdictFormat = "EvaluationVerdict"

/** The tags have the id of the message. */
const blockIn = (message: string, name: string): string =>
  new RegExp(`<(${name}-\\w+)>\n([^]*?)\n</\\1>`).exec(message)?.[2] ?? ""

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

/** The share of the wanted words that the answer has. */
const shareOf = (message: string): number => {
  const wanted = wordsOf(blockIn(message, "expected_answer") || blockIn(message, "criteria"))
  const answer = wordsOf(blockIn(message, "answer"))
  return wanted.size === 0 ? 0 : [...wanted].filter((word) => answer.has(word)).length / wanted.size
}

const reasonOf = (share: number): string =>
  `The demo model compares words only: the answer has ${Math.round(share * 100)} % of the wanted ones.`

export const score = (message: string) => {
  const share = shareOf(message)
  return { score: 1 + Math.round(share * 9), reason: reasonOf(share) }
}

export const verdict = (message: string) => {
  const share = shareOf(message)
  return { passed: share >= 0.5, reason: reasonOf(share) }
}
