import { join } from 'node:path'
import { readAccessLog } from './access-log.ts'
import { startServer } from './child.ts'
import { refusalBody } from './peer.ts'
import type { Peer, PeerOrder } from './peer.ts'

/**
 * nginx as a reverse proxy: it reads whole requests and passes them to an upstream that echoes. It refuses without
 * reading the body, and resets the stream with NO_ERROR (RFC 9113, 8.1).
 */
export const NGINX: Peer = {
  name: 'nginx',
  program: 'nginx',
  versionArguments: ['-v'],
  limits: [1, 100, 1000],
  sendsGoaway: true,
  refusals: [400, 404],
  async start(order) {
    const { port, folder } = order
    // TCP: a Unix socket's queue is too short for a thousand simultaneous connections.
    const upstream = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      async fetch(request) {
        const path = request.headers.get('x-path') ?? ''
        return new Response(await request.arrayBuffer(), { headers: { 'x-path': path } })
      },
    })
    const file = join(folder, 'nginx.conf')
    await Bun.write(file, configuration(order, upstream.port ?? 0))
    const errors = join(folder, 'error.log')
    const command = ['nginx', '-e', errors, '-p', folder, '-c', file]
    const server = await startServer(command, { port, log: join(folder, 'output.log'), cwd: folder })
    return {
      async stop(book) {
        await server.end('SIGQUIT')
        await upstream.stop(true)
        return readAccessLog(join(folder, 'access.log'), book)
      },
    }
  },
}

/** nginx cannot be told "never". */
const NEVER = 1_000_000_000

function configuration(
  { maxStreams, goawayAfter, port, certificate, key, folder }: PeerOrder,
  upstream: number,
): string {
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  )
  const refusal = (status: number): string =>
    `location /refuse/${status}/ { return ${status} '${refusalBody(status)}'; }`
  return `
    ${user}
    daemon off;
    # One process: a worker would outlive a master that is killed.
    master_process off;
    pid ${folder}/nginx.pid;
    events { worker_connections 8192; }
    http {
      ${temporary.join('\n      ')}
      log_format proof '$connection $request_uri $status';
      access_log ${folder}/access.log proof;
      upstream echo { server 127.0.0.1:${upstream}; keepalive 1000; }
      server {
        listen 127.0.0.1:${port} ssl http2;
        ssl_certificate ${certificate};
        ssl_certificate_key ${key};
        http2_max_concurrent_streams ${maxStreams};
        keepalive_requests ${goawayAfter ?? NEVER};
        keepalive_timeout 300s;
        client_body_buffer_size 64k;
        location / {
          proxy_pass http://echo;
          proxy_http_version 1.1;
          proxy_set_header Connection '';
          proxy_set_header x-path $request_uri;
        }
        ${NGINX.refusals.map(refusal).join('\n        ')}
      }
    }`
}
