// One project for each framework, as its own creator makes it, in the creator's newest version. scripts/frameworks.mjs --creators
// deploys each of them twice, with `svc deploy --build` and with `git push`, and looks at its first page and what that page loads.
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { maxBuffer, run, visit } from './framework-platform.mjs'
import { connect, push } from './framework-repositories.mjs'

/** The command makes the folder `app`. `is` is what the platform takes it for, and `node` the version that it needs. */
export const creators = {
  next: { is: 'Next.js standalone', make: 'create-next-app@latest app --yes --skip-install --disable-git' },
  'vite-vue': { is: 'static', make: 'create-vite@latest app --template vue-ts --no-interactive' },
  'vite-svelte': { is: 'static', make: 'create-vite@latest app --template svelte-ts --no-interactive' },
  'vite-solid': { is: 'static', make: 'create-vite@latest app --template solid-ts --no-interactive' },
  vue: { is: 'static', make: 'create-vue@latest app --ts --router' },
  sveltekit: {
    is: 'SvelteKit',
    make: 'sv@latest create app --template demo --types ts --no-add-ons --no-install --no-download-check',
  },
  angular: { is: 'static', make: '@angular/cli@latest new app --defaults --skip-git --skip-install' },
  'angular-ssr': {
    is: 'Angular',
    make: '@angular/cli@latest new app --defaults --ssr --skip-git --skip-install',
  },
  nest: { is: 'start script', make: '@nestjs/cli@latest new app --skip-git --skip-install --package-manager npm' },
  docusaurus: { is: 'static', make: 'create-docusaurus@latest app classic --javascript --skip-install' },
  qwik: { is: 'static', make: 'create-qwik@latest empty app' },
  'tanstack-start': { is: 'Nitro', make: '@tanstack/create-start@latest app --no-git --no-install' },
  fastify: { is: 'start script', make: 'fastify-cli@latest generate app' },
  hexo: { is: 'static', make: 'hexo-cli@latest init app --no-install' },
  preact: { is: 'static', make: 'create-preact@latest app' },
  cra: { is: 'static', make: 'create-react-app@latest app' },
  rsbuild: { is: 'static', make: 'create-rsbuild@latest -d app -t react-ts' },
  rspress: { is: 'static', make: 'create-rspress@latest -d app' },
  vuepress: { is: 'static', make: 'create-vuepress@latest app' },
  analog: { is: 'Nitro', make: 'create-analog@latest app --template latest --skipTailwind' },
  waku: { is: 'start script', make: 'create-waku@latest --project-name app' },
  vike: { is: 'static', make: 'create-vike@latest --react app' },
  ember: { is: 'static', make: 'ember-cli@latest new app --skip-git --skip-npm' },
  expo: { is: 'static', make: 'create-expo-app@latest app --no-install --template blank' },
  slidev: { is: 'static', make: 'create-slidev@latest app' },
  express: { is: 'start script', make: 'express-generator@latest --view=pug app' },
}
