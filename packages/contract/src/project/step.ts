// One command of a build.

export interface Step {
  /** What it does, such as `Building`. */
  what: string
  /** The command as a person would type it. */
  typed: string
  /** The command for a machine that may lack the package manager. */
  line: string
  /** The folder that it runs in. */
  dir: string
  /** What to say if the machine does not have its program: on the platform, and on the user's own machine. */
  absent?: { onPlatform: string; here: string }
  /** How long it may take. Without it, only the time limit of the build counts. */
  limitMs?: number
  /** The step to run in its place if it fails with these words in its output. */
  otherwise?: { words: string; warning: { onPlatform: string; here: string }; step: Step }
}

/** How much of a step's output is searched for the words of an error. */
const searched = 64 * 1024

/** Notes what a step writes, as far as `otherwise` needs it. */
export class Said {
  readonly #words: string | undefined
  #end = ''

  constructor({ otherwise }: Step) {
    this.#words = otherwise?.words
  }

  add(chunk: Buffer): void {
    if (this.#words !== undefined) this.#end = (this.#end + chunk.toString('latin1')).slice(-searched)
  }

  /** Whether the step, which has failed, is to be replaced by another one. */
  get asksForOther(): boolean {
    return this.#words !== undefined && this.#end.includes(this.#words)
  }
}
