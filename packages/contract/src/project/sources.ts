// Recognizes sources that nobody can visit as they are: of a site that another program builds, or of a server that the
// platform does not start by itself. Published as they are, their front page is a 404 and their code is public.
import { frameworks } from './frameworks.ts'

interface SourceKind {
  /** What the folder holds, for messages: `the sources of a Hugo site`. */
  name: string
  /** The folder is of this kind if it has all paths of one of these lists. A folder ends with `/`. */
  marks: readonly (readonly string[])[]
  /** What to do instead. */
  hint: string
}

const anyOf = (...paths: string[]): readonly (readonly string[])[] => paths.map(path => [path])

const buildAndDeploy = (command: string, folder: string): string =>
  `Run '${command}' on your machine, and deploy the folder that it makes: svc deploy ${folder}`

const startWith = (command: string, needs: string): string =>
  `To run it as a server, add a file Procfile with the command that starts it, such as: web: ${command} (${needs}). ${orDockerfile}`

/** See the table of languages. It needs to find the file that starts the app. */
const buildsIt =
  "Push it with git, or run 'svc deploy --build': both build and start it if they find its main file."

const orDockerfile = 'Or add a Dockerfile and push it to a platform with a container engine.'

/** The site generators of the table of frameworks. */
const generators: readonly SourceKind[] = frameworks.flatMap(({ tool, marks = [], sites }) =>
  tool
    ? [
        {
          name: tool.builds,
          marks,
          hint: [buildAndDeploy(tool.line, sites[0] ?? ''), tool.hint].filter(Boolean).join('. '),
        },
      ]
    : [],
)

/** In the order of detection: a site generator comes before the language that it is written in. */
const sourceKinds: readonly SourceKind[] = [
  ...generators,
  {
    name: 'a Sphinx site',
    marks: [['conf.py', 'index.rst'], ['source/conf.py']],
    hint: buildAndDeploy('make html', '_build/html'),
  },
  {
    name: 'a Python app',
    marks: anyOf(
      'manage.py',
      'requirements.txt',
      'pyproject.toml',
      'Pipfile',
      'app.py',
      'main.py',
      'wsgi.py',
    ),
    hint: `${buildsIt} ${startWith(
      'python3 app.py',
      'Python must be installed on the server, and the app must listen on $PORT',
    )}`,
  },
  {
    name: 'a Go program',
    marks: anyOf('go.mod', 'main.go'),
    hint: `${buildsIt} Or compile it for Linux ('CGO_ENABLED=0 GOOS=linux go build -o app'), add a file Procfile with the line 'web: ./app', and deploy both. The program must listen on $PORT. ${orDockerfile}`,
  },
  {
    name: 'a Rust program',
    marks: anyOf('Cargo.toml'),
    hint: `Compile it for Linux, add a file Procfile with the line 'web: ./app', and deploy both. The program must listen on $PORT. ${orDockerfile}`,
  },
  {
    name: 'a Deno app',
    marks: anyOf('deno.json', 'deno.jsonc', 'deno.lock'),
    hint: `${buildsIt} ${startWith(
      'deno run -A main.ts',
      'Deno must be installed on the server, and the app must listen on $PORT',
    )}`,
  },
  {
    name: 'a PHP app',
    marks: anyOf('composer.json', 'index.php'),
    hint: startWith('php -S $HOSTNAME:$PORT', 'PHP must be installed on the server'),
  },
  {
    name: 'a Ruby app',
    marks: anyOf('Gemfile', 'config.ru'),
    hint: startWith('bundle exec rackup -o $HOSTNAME -p $PORT', 'Ruby must be installed on the server'),
  },
  {
    name: 'a Java app',
    marks: anyOf('pom.xml', 'build.gradle', 'build.gradle.kts'),
    hint: startWith(
      'java -jar app.jar',
      'Java must be installed on the server, and the app must listen on $PORT',
    ),
  },
  {
    name: 'a container image',
    marks: anyOf(
      'Dockerfile',
      'Containerfile',
      'compose.yaml',
      'compose.yml',
      'docker-compose.yml',
      'docker-compose.yaml',
    ),
    hint: "A platform with a container engine builds a Dockerfile that is pushed with git: 'svc git connect <owner/repo>', then 'git push svc main'. Without one, deploy the files that the image serves, or add a file Procfile with the command that its server starts with: web: <command>",
  },
  {
    name: 'a Node.js package',
    marks: anyOf('package.json'),
    hint: 'Deploy the folder that its build makes. To run it as a server, add a file Procfile with the command that starts it: web: <command>',
  },
]

/** Says what the folder holds and what to do instead. `undefined` if no row of the table fits. */
export async function describeSources(
  has: (path: string) => boolean | Promise<boolean>,
): Promise<string | undefined> {
  for (const { name, marks, hint } of sourceKinds)
    for (const paths of marks) {
      const present = await Promise.all(paths.map(has))
      if (present.every(Boolean)) return `These are the sources of ${name}. ${hint}`
    }
  return undefined
}
