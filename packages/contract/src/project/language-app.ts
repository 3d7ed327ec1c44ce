// How an app in another language than JavaScript is built and started.

export interface LanguageApp {
  /** The build command, as a person types it. */
  typed: string
  /** The same for a machine that may lack a part of the program. It ends with 127 then. */
  line?: string
  start: string
  /** Variables of the build. */
  env?: Readonly<Record<string, string>>
}
