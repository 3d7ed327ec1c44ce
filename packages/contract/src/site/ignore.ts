// .svcignore: the files that its rules leave out of an upload. The rules have the syntax of .gitignore.

export const ignoreFile = '.svcignore'

/** Whether the rules leave out an entry of the site. Its folder must not be left out itself. */
export type Ignores = (path: string, isFolder: boolean) => boolean

/** Reads the rules of one or more files. A later rule wins over an earlier one. */
export async function ignoreRules(texts: readonly string[]): Promise<Ignores> {
  // Most sites have no such file, so the parser is loaded only for those that do.
  const { default: ignore } = await import('ignore')
  const rules = ignore({ ignorecase: false, allowRelativePaths: true })
  for (const text of texts) rules.add(text.replace(/^\uFEFF/, ''))
  // A rule that ends with `/` is for folders alone, and the parser knows a folder by the same sign.
  return (path, isFolder) => rules.ignores(isFolder ? `${path}/` : path)
}
