// What a decision lacks, as the service says it to programs: with the fields of a request and the functions of the
// clients. A person at a command line gives flags.

const words: ReadonlyArray<readonly [of: RegExp, flags: string]> = [
  [/\bbody\.(?:requirements|step_requirements|error_requirements|tools|resolution_data): /g, ""],
  [/\. Send (?=for '|values|`|its `)/g, ". Give "],
  [
    /`confirmed`: true repeats it, as approve\(run\) of the clients does, and false rejects it/g,
    "--approve, which repeats it, or --reject"
  ],
  [/`confirmed`, as approve\(run\) and reject\(run\) of the clients do/g, "--approve or --reject"],
  [
    /`decision`, as approve\(run\) \("retry"\) and reject\(run\) \("skip"\) of the clients do/g,
    "--approve, which tries it again, or --reject, which skips it"
  ],
  // what is given is approved with it
  [/`confirmed` and (?=values|`)/g, ""],
  [/ in (?:`user_input(?:_schema)?`, as answer\(run, values\) of the clients does|`values`)/g, " with --values"],
  [/`selected_choices` among/g, "--choices among"],
  [/, as answer\(run\) of the clients does with choices/g, ""],
  [/`external_execution_result`, as answer\(run\) of the clients does with a result/g, "--result TEXT"],
  [/its `result`(?:, a text)?/g, "--result TEXT"]
]

/** The text of a refusal with the flags of `svc`. Texts about something else stay as they are. */
export const of = (text: string): string => words.reduce((result, [of, flags]) => result.replace(of, flags), text)
