// Warnings about a file of rules: the line, the problem, and what happens to the line.

const most = 50

export class Warnings {
  readonly #file: string
  readonly #texts: string[] = []
  #more = 0

  constructor(file: string) {
    this.#file = file
  }

  /** `done` says what happens to the line. */
  add(line: number, problem: string, done: string): void {
    if (this.#texts.length < most) this.#texts.push(`${this.#file} line ${line}: ${problem}. ${done}`)
    else this.#more++
  }

  get list(): string[] {
    return this.#more === 0 ? this.#texts : [...this.#texts, `${this.#file}: … and ${this.#more} more.`]
  }
}
