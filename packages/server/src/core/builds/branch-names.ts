// Which names a branch can have.
import { Fault } from '../../lib/fault.ts'

/** About what git itself allows. Other names cannot come from a repository. */
export function requireBranchName(branch: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  if (/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|[/.]$/.test(branch))
    throw new Fault('invalid_request', 'branch is not a valid git branch name')
}
