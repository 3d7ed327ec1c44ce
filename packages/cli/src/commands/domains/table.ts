// The commands of custom domains.
import { onProject } from '../../command.ts'

export const domainsCommands = onProject('Settings', {
  domains: {
    summary: 'List custom domains',
    options: ['json'],
    isList: true,
    load: async () => (await import('./domains.ts')).listDomains,
  },
  'domains add': {
    summary: 'Attach a domain, and show its DNS record',
    args: ['<domain>'],
    options: ['branch'],
    details:
      'It shows production, or with --branch the latest deployment of that branch: production until one lands. Adding a domain again changes nothing but the branch, where one is given. A domain that another owner holds moves to you once the DNS record that is shown proves that it is yours.',
    load: async () => (await import('./domains.ts')).addDomain,
  },
  'domains branch': {
    summary: 'Point a domain at a branch, or production',
    args: ['<domain>', '<branch>'],
    load: async () => (await import('./domains.ts')).retargetDomain,
  },
  'domains redirect': {
    summary: 'Redirect a domain to another of the project',
    args: ['<domain>', '<other-domain>'],
    details:
      'Visitors get 308 and keep path and query: svc domains redirect www.example.com example.com. With off, the domain shows the site again.',
    load: async () => (await import('./domains.ts')).redirectDomain,
  },
  'domains primary': {
    summary: "Show a domain's URL as the project's own",
    args: ['<domain>'],
    load: async () => (await import('./domains.ts')).makePrimary,
  },
  'domains cert': {
    summary: 'Show the certificate that a domain shows',
    args: ['<domain>'],
    options: ['json'],
    details: 'The platform connects to the domain as a visitor would, and tells what it saw.',
    load: async () => (await import('./domains.ts')).showCertificate,
  },
  'domains remove': {
    summary: 'Detach a domain',
    args: ['<domain>'],
    aliases: ['rm', 'delete'],
    load: async () => (await import('./domains.ts')).removeDomain,
    candidates: async () => (await import('../candidates.ts')).domainCandidates,
  },
})
