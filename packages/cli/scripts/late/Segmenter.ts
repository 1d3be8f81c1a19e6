// Takes the place of `Intl.Segmenter` in the bundle: made when it is first used. Loading its data takes longer than
// most of what the tool does, and only text of a prompt is ever measured with it.
export class Segmenter {
  readonly make: () => Intl.Segmenter
  made: Intl.Segmenter | undefined
  constructor(locales?: Intl.LocalesArgument, options?: Intl.SegmenterOptions) {
    this.make = () => new globalThis.Intl.Segmenter(locales, options)
  }
  segment(text: string): Intl.Segments {
    return (this.made ??= this.make()).segment(text)
  }
}
