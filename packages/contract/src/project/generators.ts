// Sites whose generator is a program of the machine, not a package: Hugo, Jekyll, MkDocs, Zola.
import { below, isPresent, type ProjectFiles } from './files.ts'
import type { Framework } from './framework.ts'
import { frameworks } from './frameworks.ts'
import type { Step } from './step.ts'

/** Files that are published as they are. A page that begins with these dashes is a template of a generator. */
const pages = ['index.html', '_redirects', 'server.js']
const frontMatter = '---'

/** The framework whose marks the folder has, unless its files can be published as they are. */
export async function findGenerator(files: ProjectFiles, dir: string): Promise<Framework | undefined> {
  for (const page of pages) {
    if (!(await files.hasFile(below(dir, page)))) continue
    if (page !== 'index.html' || !(await files.read(below(dir, page)))?.startsWith(frontMatter))
      return undefined
  }
  for (const framework of frameworks)
    for (const paths of framework.tool ? (framework.marks ?? []) : []) {
      const present = await Promise.all(paths.map(path => isPresent(files, below(dir, path))))
      if (present.every(Boolean)) return framework
    }
  return undefined
}

/** The shell ends with 127 if there is no such program. */
export function generatorStep({ tool, sites }: Framework, dir: string): Step | undefined {
  if (!tool) return undefined
  const { builds, program, line, debian, hint } = tool
  const install =
    debian === undefined
      ? `The operator can install ${program}`
      : `The operator can install it (apt-get install ${debian})`
  const missing = `This is ${builds}, and the program ${program} is not on this machine.`
  const onPlatform = `${missing} ${install}, or with containers add it to the image of builds (SVCD_BUILD_IMAGE). Or run '${line}' on your machine, and deploy the folder that it makes: svc deploy ${sites[0]}.${hint ? ` ${hint}` : ''}`
  const debianWords = debian === undefined ? '' : ` (on Debian: apt-get install ${debian})`
  const here = `${missing} Install it${debianWords}, or push the project with git to a platform that has it: svc git connect <owner/repo>.${hint ? ` ${hint}` : ''}`
  return { what: 'Building', typed: line, line, dir, absent: { onPlatform, here } }
}
