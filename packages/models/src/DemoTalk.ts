// What the demo model says without a tool: greetings, thanks, who it is and what it can do, and small sums.

/** What an answer can be made of. */
export interface Talk {
  /** Of the user. */
  readonly message: string
  readonly system: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly description: string }>
}

const greeting =
  /^(hi|hello|hey|hiya|howdy|yo|greetings|good (?:morning|day|afternoon|evening)|hallo|guten (?:morgen|tag|abend)|moin|servus|bonjour|hola|ciao)(?: (?:there|again|all|everyone|assistant|bot|friend|you))*$/

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ")

const maxInstructions = 200

/** The start of the instructions that the system message has. */
const instructionsIn = (system: string): string => {
  const text = /<instructions>\n([^]*?)\n<\/instructions>/.exec(system)?.[1]?.replaceAll(/^- /gm, "") ??
    system.split(/\n\n|\n</)[0] ?? ""
  const line = oneLine(text)
  return line.length > maxInstructions ? `${line.slice(0, maxInstructions)} …` : line
}

const nameIn = (system: string): string | undefined => /^- Your name is (.{1,100})\.$/m.exec(system)?.[1]

const introduce = ({ system }: Talk): string => {
  const name = nameIn(system)
  const task = instructionsIn(system)
  return `I am ${name === undefined ? "the assistant of this service" : name}.${task === "" ? "" : ` My task: ${task}`}`
}

const maxTools = 20

const abilities = (talk: Talk): string => {
  const lines = talk.tools.slice(0, maxTools).map(({ description, name }) =>
    `- ${name}${description === "" ? "" : `: ${oneLine(description)}`}`
  )
  const more = talk.tools.length > maxTools ? [`- and ${talk.tools.length - maxTools} more`] : []
  return lines.length === 0
    ? `${introduce(talk)} I have no tools: I can only chat a little, and do small sums.`
    : `${introduce(talk)} I can use these tools when a message asks for it:\n${[...lines, ...more].join("\n")}`
}

const number = /^-?\d+(?:\.\d+)?$/

const says: ReadonlyArray<
  readonly [pattern: RegExp, answer: string | ((talk: Talk, match: RegExpExecArray) => string)]
> = [
  [greeting, (_, [, word = "Hello"]) => `${capital(word)}! How can I help?`],
  [
    /^(?:hi |hello |hey )?(?:how are you|how do you do|how is it going|whats up|wie geht(?: es|s))(?: .{0,20})?$/,
    "I am fine, thank you. How can I help?"
  ],
  [
    /^(?:ok(?:ay)? |great |perfect )?(?:many )?(?:thanks|thank you|thx|cheers|danke|merci|gracias)(?: .{0,40})?$/,
    "You are welcome!"
  ],
  [/^(?:bye|goodbye|good night|see you|farewell|tschüss|ciao ciao)(?: .{0,20})?$/, "Goodbye!"],
  [/^(?:ok|okay|yes|no|great|cool|nice|perfect|fine|good|all right|alright|sure)$/, "All right. What is next?"],
  [/^(?:sorry|excuse me|pardon)(?: .{0,20})?$/, "No problem."],
  [
    /^(?:(?:and )?who are you|what are you|whats your name|what is your name|introduce yourself|are you (?:a |an )?(?:bot|robot|human|person|machine|ai|real)(?: .{0,20})?)$/,
    introduce
  ],
  [
    /^(?:help|help me|(?:so )?what can (?:you do|i ask(?: you)?|i do(?: here)?)(?: for me)?|what do you (?:do|know)|which tools do you have|how can you help(?: me)?|how do you work)$/,
    abilities
  ],
  [number, (_, [text]) => `${text} is a number. Tell me what to do with it, for example: ${text} times 2.`]
]

/** Words in lower case, without punctuation around them. */
const plainOf = (message: string): string =>
  message.toLowerCase().replaceAll(/['’]/g, "").replaceAll(
    /[!?,;:…]|\.(?!\d)|[\p{Extended_Pictographic}\u{FE0F}]/gu,
    " "
  )
    .replaceAll(/\s+/g, " ").trim()

/** Longer messages are no small talk. */
const maxLength = 80

/** The answer to small talk. Undefined if the message is none. */
export const small = (talk: Talk): string | undefined => {
  if (talk.message.length > maxLength) return undefined
  const plain = plainOf(talk.message)
  for (const [pattern, answer] of says) {
    const match = pattern.exec(plain)
    if (match !== null) return typeof answer === "string" ? answer : answer(talk, match)
  }
  return undefined
}

const sum = /(-?\d+(?:\.\d+)?)\s*(\+|-|\*|\/|x|×|÷|plus|minus|times|divided by)\s*(-?\d+(?:\.\d+)?)/i

const operations: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  plus: (left, right) => left + right,
  "-": (left, right) => left - right,
  minus: (left, right) => left - right,
  "*": (left, right) => left * right,
  x: (left, right) => left * right,
  "×": (left, right) => left * right,
  times: (left, right) => left * right,
  "/": (left, right) => left / right,
  "÷": (left, right) => left / right,
  "divided by": (left, right) => left / right
}

/** Of two numbers, for agents without a tool that calculates. */
export const calculated = (message: string): string | undefined => {
  const [all, left, sign = "", right] = sum.exec(message.slice(0, 1000)) ?? []
  const operation = operations[sign.toLowerCase()]
  if (all === undefined || operation === undefined) return undefined
  return `${all} = ${Number(operation(Number(left), Number(right)).toPrecision(12))}`
}

/** Whether the message continues the one before: `And in Paris?` */
export const followsUp = (message: string): boolean => /^\s*(?:and|also|what about|how about)\b/i.test(message)

/** Whether the message wants the same again. */
export const wantsAgain = (message: string): boolean =>
  /^(?:please )?(?:do it |once |try )?(?:again|repeat|repeat that|once more|one more time)(?: please)?$/.test(
    plainOf(message)
  )

/** Whether a statement about the user asks for nothing. */
export const tells = (message: string): boolean => /^\s*(?:i|im|my|we|our)\b/i.test(message) && !message.includes("?")
