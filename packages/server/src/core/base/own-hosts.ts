// The hosts of the platform itself, below its domain. The bare domain is the API, too.

export const ownLabels = ['api', 'app', 'dashboard', 'ai', 'docs', 'status'] as const

export const ownHosts = (domain: string): string[] => [
  domain,
  ...ownLabels.map(label => `${label}.${domain}`),
]
