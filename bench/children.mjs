// Servers to compare with, as child processes on one core, each configured as its makers advise for static files.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findTool } from '../scripts/tools.mjs'
import { onCore, serverCore } from './load.mjs'

/** With `tls` (a certificate's files and its host) both speak HTTPS and HTTP/2 instead. */
export async function startNginx(dir, root, tls) {
  const port = await freePort()
  const file = join(dir, 'nginx.conf')
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${dir}/nginx.pid; error_log ${dir}/nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
  open_file_cache max=1000; types { text/html html; application/octet-stream bin; }
  client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  server { listen 127.0.0.1:${port}${tls ? ' ssl http2' : ''}; root ${root}; ${tls ? `ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};` : ''} }
}
`,
  )
  return await child([findTool('nginx'), '-c', file, '-e', `${dir}/nginx.log`], port)
}

/** Serves the bare repositories of a folder to everyone, by the program that comes with git. */
export async function startGitHttpBackend(dir, root) {
  const port = await freePort()
  const file = join(dir, 'git-nginx.conf')
  const socket = join(dir, 'fcgi.sock')
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${dir}/git-nginx.pid; error_log ${dir}/git-nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 64; }
http {
  access_log off; client_max_body_size 0;
  client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  server {
    listen 127.0.0.1:${port};
    location / {
      fastcgi_pass unix:${socket};
      fastcgi_param SCRIPT_FILENAME ${gitProgram('git-http-backend')};
      fastcgi_param GIT_HTTP_EXPORT_ALL 1; fastcgi_param GIT_PROJECT_ROOT ${root};
      fastcgi_param PATH_INFO $uri; fastcgi_param QUERY_STRING $query_string;
      fastcgi_param REQUEST_METHOD $request_method; fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length; fastcgi_param GIT_PROTOCOL $http_git_protocol;
      fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding;
      fastcgi_param GIT_CONFIG_COUNT 1; fastcgi_param GIT_CONFIG_KEY_0 safe.directory; fastcgi_param GIT_CONFIG_VALUE_0 *;
    }
  }
}
`,
  )
  // With its children it is a group of its own, which ends as a whole.
  const options = { stdio: 'ignore', detached: true }
  const wrapper = spawn(findTool('fcgiwrap'), ['-c', '4', '-s', `unix:${socket}`], options)
  const nginx = await child([findTool('nginx'), '-c', file, '-e', `${dir}/git-nginx.log`], port)
  const stop = async () => {
    await nginx.stop()
    process.kill(-wrapper.pid, 'SIGTERM')
  }
  return { ...nginx, stop }
}

const gitProgram = name => join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), name)

export async function startCaddy(dir, root, tls) {
  const site = tls ? `https://${tls.host}` : 'http://127.0.0.1'
  return await caddy(dir, site, `${tls ? `tls ${tls.cert} ${tls.key}\n` : ''} root * ${root}\n file_server`)
}

/** Before a server that is there already. */
export const startCaddyProxy = (dir, { url }) => caddy(dir, 'http://127.0.0.1', `reverse_proxy ${url}`)

async function caddy(dir, site, directives) {
  const port = await freePort()
  const file = join(dir, 'Caddyfile')
  const home = join(dir, 'caddy-home')
  mkdirSync(home)
  writeFileSync(file, `{\n admin off\n auto_https off\n}\n${site}:${port} {\n ${directives}\n}\n`)
  const env = { ...process.env, HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, GOMAXPROCS: '1' }
  return await child([findTool('caddy'), 'run', '--config', file, '--adapter', 'caddyfile'], port, env)
}

export async function startFastify(body) {
  const port = await freePort()
  const program = fileURLToPath(new URL('./bare-fastify.mjs', import.meta.url))
  return await child([process.execPath, program, `${port}`, JSON.stringify(body)], port)
}

export async function child(command, port, env = process.env) {
  const [program, ...args] = [...onCore(serverCore), ...command]
  const server = spawn(program, args, { stdio: 'ignore', env })
  const ended = once(server, 'exit')
  let up = false
  while (!up && server.exitCode === null) {
    up = await accepts(port)
    if (!up) await sleep(50)
  }
  if (!up) throw new Error(`${command.join(' ')} did not start`)
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
  }
  return { url: `http://127.0.0.1:${port}`, port, pid: server.pid, stop }
}

function accepts(port) {
  return new Promise(resolve => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

export async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  await once(probe, 'close')
  return port
}
