// A build whose lock file was installed before, beside the first build of such a lock file. The packages are archives in the
// repository, so that no registry and no network take part.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commit, connectProject, endOfBuild, git, initRepository, secondsOf } from '../git.mjs'
import { bytesOf, KB } from '../sites.mjs'
import { interleave } from '../statistics.mjs'
import { startSvc } from '../svc.mjs'

const packages = 200
const filesPerPackage = 50

export async function measure({ dir }) {
  const svc = await startSvc()
  try {
    const remote = await connectProject(svc, 'cached')
    const copy = join(dir, 'copy')
    initRepository(copy)
    const archives = makePackages(join(copy, 'vendor'), join(dir, 'package-parts'))
    let round = 0
    const build = async files => {
      await commit(copy, files)
      await git(copy, 'push', '--quiet', remote, 'main')
      return secondsOf(await endOfBuild(svc, 'cached'))
    }
    // Another name of the package makes another lock file.
    const first = () => build(projectFiles(`first-${round++}`, archives))
    const second = () => build({ 'note.txt': `${round}` })
    const time = await interleave(4, { first, second })
    return [
      {
        what: `build with a known lock file, ${packages} packages of ${filesPerPackage} files`,
        unit: 's',
        svc: time.second,
        other: 'its first build',
        value: time.first,
        atMost: 0.8,
      },
    ]
  } finally {
    await svc.stop()
  }
}

/** Answers the integrity of each archive by the name of its package. */
function makePackages(dir, work) {
  mkdirSync(dir, { recursive: true })
  const integrities = new Map()
  for (let i = 0; i < packages; i++) {
    const name = `package-${i}`
    rmSync(work, { recursive: true, force: true })
    mkdirSync(join(work, 'package/lib'), { recursive: true })
    writeFileSync(join(work, 'package/package.json'), JSON.stringify({ name, version: '1.0.0' }))
    for (let n = 1; n < filesPerPackage; n++)
      writeFileSync(join(work, `package/lib/${n}.js`), bytesOf(`${i} ${n}`, 8 * KB))
    const file = join(dir, `${name}.tgz`)
    execFileSync('tar', ['-czf', file, '-C', work, 'package'])
    integrities.set(name, `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`)
  }
  return integrities
}

function projectFiles(name, integrities) {
  const names = [...integrities.keys()]
  const at = of => `file:vendor/${of}.tgz`
  const dependencies = Object.fromEntries(names.map(of => [of, at(of)]))
  const locked = names.map(of => [
    `node_modules/${of}`,
    { version: '1.0.0', resolved: at(of), integrity: integrities.get(of) },
  ])
  const lock = {
    ...{ name, version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: { '': { name, version: '1.0.0', dependencies }, ...Object.fromEntries(locked) },
  }
  const scripts = { build: 'mkdir -p dist && echo hello > dist/index.html' }
  return {
    'package.json': JSON.stringify({ name, version: '1.0.0', scripts, dependencies }),
    'package-lock.json': JSON.stringify(lock),
  }
}
