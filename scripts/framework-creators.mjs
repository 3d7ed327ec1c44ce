// One project of each framework, as its own creator makes it in its newest version. scripts/frameworks.mjs --creators deploys it
// twice, with `git push` and with `svc deploy --build`, and visits its first page and what that page loads.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, visitFirstPage } from './framework-platform.mjs'
import { cloneOf, newestOf, pushProject } from './framework-repositories.mjs'

/**
 * The arguments of npx make the folder `app`. `node` is the version that the project needs, if not that of this program. `says` is
 * what `svc deploy --build` says where something has to be done first.
 */
export const creators = {
  angular: { node: '22', make: '@angular/cli@latest new app --defaults --skip-git --skip-install' },
  'angular-ssr': {
    node: '22',
    make: '@angular/cli@latest new app --defaults --ssr --skip-git --skip-install',
  },
  'create-react-app': { make: 'create-react-app@latest app' },
  docusaurus: { make: 'create-docusaurus@latest app classic --javascript --skip-install' },
  expo: { make: 'create-expo-app@latest app --no-install --template blank' },
  express: { make: 'express-generator@latest --view=pug app' },
  fastify: { make: 'fastify-cli@latest generate app' },
  hexo: { make: 'hexo-cli@latest init app --no-install' },
  nest: { make: '@nestjs/cli@latest new app --skip-git --skip-install --package-manager npm' },
  next: { make: 'create-next-app@latest app --yes --empty --skip-install --disable-git' },
  qwik: { make: 'create-qwik@latest empty app' },
  sveltekit: {
    node: '22',
    says: 'SvelteKit makes a server with adapter-node',
    make: 'sv@latest create app --template demo --types ts --no-add-ons --no-install --no-download-check',
  },
  slidev: { node: '22', make: 'create-slidev@latest app' },
  strapi: {
    make: 'create-strapi@latest app --skip-cloud --no-run --non-interactive --skip-db --js --no-install --no-git-init --no-example',
  },
  'tanstack-start': { node: '22', make: '@tanstack/create-start@latest app --no-git --no-install' },
  'vite-lit': { make: 'create-vite@latest app --template lit-ts --no-interactive' },
  'vite-react': { make: 'create-vite@latest app --template react-ts --no-interactive' },
  'vite-vue': { make: 'create-vite@latest app --template vue-ts --no-interactive' },
  vue: { make: 'create-vue@latest app --ts --router' },
  waku: { node: '22', make: 'create-waku@latest --project-name app' },
}

/** Creators ask nobody and report to nobody. */
const quiet = { CI: '1', npm_config_yes: 'true', NEXT_TELEMETRY_DISABLED: '1', NG_CLI_ANALYTICS: 'false' }

/** `angular@21` tries a version that is not the newest. */
export async function tryCreator(platform, work, asked) {
  const [name, version = 'latest'] = asked.split('@')
  const { make, node, says } = creators[name]
  const dir = join(work, name)
  mkdirSync(dir)
  const path = `${node ? `${programsOf(node)}:` : ''}${process.env.PATH}`
  const env = { ...process.env, ...quiet, PATH: path }
  await run('npx', make.replace('@latest', `@${version}`).split(' '), { cwd: dir, env, timeout: 300_000 })
  const [pushed, built] = ['pushed', 'built'].map(way => join(dir, way))
  for (const copy of [pushed, built]) {
    cloneOf(join(dir, 'app'), copy)
    if (node) writeFileSync(join(copy, '.nvmrc'), `${node}\n`)
    if (!existsSync(join(copy, '.gitignore'))) writeFileSync(join(copy, '.gitignore'), 'node_modules\n')
  }
  const ways = await Promise.allSettled([
    byPush(platform, work, pushed, name),
    byBuild(platform, built, name, path, says),
  ])
  const failed = ways.filter(({ status }) => status === 'rejected').map(({ reason }) => reason)
  const done = ways.filter(({ status }) => status === 'fulfilled').map(({ value }) => value)
  if (failed.length === 0) return `ok; ${done.join('; ')}`
  throw new Error([...done, ...failed.map(error => endOf(error.stderr || error.message))].join('\n'))
}

/** The log of a build may be long. */
const endOf = log => log.trimEnd().split('\n').slice(-20).join('\n')

async function byPush(platform, work, dir, name) {
  const { live, taken, deployed, took } = await pushProject(platform, work, dir, `push-${name}`)
  const seen = await visitFirstPage(live)
  return `git push: ${taken}, ${deployed} files, ${took}, ${seen}`
}

async function byBuild(platform, dir, name, path, says) {
  const project = `build-${name}`
  await platform.svc(dir, 'init', project)
  const deploying = platform.svcWith({ PATH: path }, dir, 'deploy', '--build')
  if (says) {
    const { stderr = '' } = await deploying.catch(error => error)
    if (!stderr.includes(says)) throw new Error(`it did not say '${says}':\n${stderr}`)
    return `svc deploy --build: says '${says}'`
  }
  const seen = await visitFirstPage(/http:\/\/\S+/.exec((await deploying).stdout)[0])
  const { taken, deployed } = await newestOf(platform, project)
  return `svc deploy --build: ${taken}, ${deployed} files, ${seen}`
}

/** Where the operator installed this version: see "versions of Node" in docs/apps.md. */
function programsOf(node) {
  const installed = join(process.env.SVCD_NODE_DIR ?? '', node)
  const folder = ['bin', 'node_modules/.bin'].map(below => join(installed, below)).find(existsSync)
  if (!folder)
    throw new Error(
      `It needs Node ${node}: npm install --prefix <folder>/${node} node@${node} npm@10, and SVCD_NODE_DIR=<folder>`,
    )
  return folder
}
