// Which names a branch can have.
import { Fault } from '../../lib/fault.ts'

/** What `git branch` allows. `git push` can also create a branch whose name begins with a dash. */
export function isBranchName(branch: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  return !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|^$|^[-/.]|[/.]$/.test(branch)
}

export function requireBranchName(branch: string): void {
  if (!isBranchName(branch)) throw new Fault('invalid_request', 'branch is not a valid git branch name')
}
