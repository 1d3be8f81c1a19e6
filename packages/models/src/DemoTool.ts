// Finds the tool that shares the most words with a message. Words of its name count more than words of its description,
// and some common words have synonyms.
import { Tool } from "effect/ai"

const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  time: ["clock", "date", "day", "hour", "now", "today"],
  date: ["day", "time", "today", "tomorrow"],
  weather: ["cold", "forecast", "rain", "snow", "sunny", "temperature", "warm"],
  calculator: ["add", "calculate", "compute", "divide", "minus", "multiply", "plus", "sum", "times"],
  calculate: ["add", "calculator", "compute", "divide", "minus", "multiply", "plus", "sum", "times"],
  search: ["find", "look", "lookup", "who"],
  lookup: ["find", "look", "search", "who"]
}

const common = new Set(
  ("a about all an and any are as at be by can current do does for from get given has have how i in into is it its me my " +
    "of on or please return returns set tell that the this to tool use used user value what when where which with you your")
    .split(" ")
)

const arithmetic = /\d\s*[-+*/x×÷^]\s*\d/

const words = (text: string): ReadonlyArray<string> =>
  text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1 && !common.has(word))

/** Plurals and the like are the same word here. */
const stem = (word: string): string => word.length > 4 ? word.replace(/(ing|ed|es|s)$/, "") : word

const score = (tool: Tool.Any, stems: ReadonlySet<string>, message: string): number => {
  const isMentioned = (word: string) => stems.has(stem(word))
  let result = 0
  for (const word of words(tool.name)) {
    if (isMentioned(word)) result += 3
    else if (Object.hasOwn(synonyms, word) && synonyms[word]?.some(isMentioned)) result += 2
    if (word.startsWith("calc") && arithmetic.test(message)) result += 3
  }
  for (const word of new Set(words(Tool.getDescription(tool) ?? ""))) {
    if (isMentioned(word)) result += 1
  }
  return result
}

/** The searched length of a message. The search takes a second for each few megabytes. */
const searchedLength = 10_000

/** The first of the tools that fit best, or undefined when none shares enough with the message. */
export const fitting = (tools: ReadonlyArray<Tool.Any>, whole: string): Tool.Any | undefined => {
  const message = whole.slice(0, searchedLength)
  const stems = new Set(words(message).map(stem))
  let best: Tool.Any | undefined
  let bestScore = 1
  for (const tool of tools) {
    const points = score(tool, stems, message)
    if (points > bestScore) {
      best = tool
      bestScore = points
    }
  }
  return best
}

/** The leader of a team delegates messages by default, and an agent with knowledge searches it. */
export const usual = (tools: ReadonlyArray<Tool.Any>): Tool.Any | undefined =>
  tools.find(({ name }) => /delegat|^search_knowledge$/i.test(name))
