// Server apps in other languages than JavaScript: which program of the machine builds and runs one, and how it starts.
import { denoApp } from './deno-app.ts'
import { below, type ProjectFiles } from './files.ts'
import { goProgram } from './go-program.ts'
import type { LanguageApp } from './language-app.ts'
import { pythonApp } from './python-app.ts'
import type { Step } from './step.ts'

interface Language {
  /** What it is, for messages: `a Python app`. */
  builds: string
  /** What must be on the machine. */
  needs: string
  /** The packages of Debian that have it. `undefined` if there are none. */
  debian: string | undefined
  /** Whether the app needs it while it runs, too. */
  runs: boolean
  /** One of these files is at the top. */
  marks: readonly string[]
  /** `undefined` if nothing says which file or program is the app. */
  find(files: ProjectFiles, dir: string): Promise<LanguageApp | undefined>
}

const languages: readonly Language[] = [
  {
    builds: 'a Python app',
    needs: 'python3 with pip',
    debian: 'python3 python3-pip',
    runs: true,
    marks: ['requirements.txt', 'pyproject.toml', 'manage.py', 'app.py', 'main.py', 'server.py', 'wsgi.py'],
    find: pythonApp,
  },
  {
    builds: 'a Go program',
    needs: 'the program go',
    debian: 'golang-go',
    runs: false,
    marks: ['go.mod'],
    find: goProgram,
  },
  {
    builds: 'a Deno app',
    needs: 'the program deno',
    debian: undefined,
    runs: true,
    marks: ['deno.json', 'deno.jsonc'],
    find: denoApp,
  },
]

export interface LanguagePlan {
  build: Step
  start: string
  env: Readonly<Record<string, string>>
}

/** The app in the folder. A page beside its sources is published as a site, unless a Procfile says how to start the app. */
export async function findLanguage(
  files: ProjectFiles,
  dir: string,
  hasStart: boolean,
): Promise<LanguagePlan | undefined> {
  if (!hasStart && (await files.hasFile(below(dir, 'index.html')))) return undefined
  for (const language of languages) {
    const present = await Promise.all(language.marks.map(mark => files.hasFile(below(dir, mark))))
    const app = present.includes(true) ? await language.find(files, dir) : undefined
    if (!app) continue
    const { typed, line = typed, start, env = {} } = app
    return { build: { what: 'Building', typed, line, dir, absent: absent(language) }, start, env }
  }
  return undefined
}

function absent({ builds, needs, debian, runs }: Language): Step['absent'] {
  const missing = `This is ${builds}, and ${needs} is not on this machine.`
  const install = debian === undefined ? 'install it' : `install it (apt-get install ${debian})`
  const images = runs
    ? 'the images of builds and apps (SVCD_BUILD_IMAGE, SVCD_RUNTIME_IMAGE)'
    : 'the image of builds (SVCD_BUILD_IMAGE)'
  return {
    onPlatform: `${missing} The operator can ${install}, or with containers add it to ${images}. ${orDockerfile}`,
    here: `${missing} Install it, or push the project with git to a platform that has it: svc git connect <owner/repo>. ${orDockerfile}`,
  }
}

const orDockerfile = 'Or add a Dockerfile and push it to a platform with a container engine.'
