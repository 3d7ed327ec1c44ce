// nginx and HAProxy as reverse proxies before an app that is there already, each on one core, with kept connections to it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findTool } from '../scripts/tools.mjs'
import { child, freePort } from './children.mjs'

export async function startNginxProxy(dir, { url }) {
  const port = await freePort()
  const file = join(dir, 'proxy-nginx.conf')
  writeFileSync(
    file,
    `worker_processes 1; daemon off; pid ${dir}/proxy-nginx.pid; error_log ${dir}/proxy-nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000;
  client_body_temp_path ${dir}; proxy_temp_path ${dir}; fastcgi_temp_path ${dir}; uwsgi_temp_path ${dir}; scgi_temp_path ${dir};
  upstream app { server ${new URL(url).host}; keepalive 64; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://app; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_set_header Host $host; proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`,
  )
  return await child([findTool('nginx'), '-c', file, '-e', `${dir}/proxy-nginx.log`], port)
}

export async function startHaproxyProxy(dir, { url }) {
  const port = await freePort()
  const file = join(dir, 'proxy-haproxy.cfg')
  writeFileSync(
    file,
    `global
  nbthread 1
  maxconn 1024
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option forwardfor
  http-reuse always
frontend all
  bind 127.0.0.1:${port}
  default_backend app
backend app
  server app ${new URL(url).host}
`,
  )
  return await child([findTool('haproxy'), '-db', '-f', file], port)
}
