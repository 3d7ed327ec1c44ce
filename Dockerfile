# svcd in a container. Build it after `npm run release`:  docker build -t svcd .
# The base image has Node 20.19 or newer. Packages are those of the sandbox and of builds; empty installs none.
ARG BASE=node:22-bookworm-slim
FROM ${BASE}
ARG PACKAGES="bubblewrap slirp4netns nftables git ca-certificates"
RUN if [ -n "$PACKAGES" ]; then apt-get update && apt-get install -y --no-install-recommends $PACKAGES && rm -rf /var/lib/apt/lists/*; fi
COPY release/svcd-*.tgz /tmp/svcd.tgz
# The package brings its dependencies along, so this needs no registry. The user 10001 owns the data.
RUN npm install --global --offline --no-audit --no-fund /tmp/svcd.tgz && rm /tmp/svcd.tgz \
  && node -e "const fs = require('node:fs'); fs.mkdirSync('/data', { mode: 0o700 }); fs.chownSync('/data', 10001, 10001)"
USER 10001:10001
ENV SVCD_HOST=0.0.0.0 SVCD_DATA_DIR=/data MALLOC_ARENA_MAX=2
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.SVCD_PORT || 8080) + '/health', { redirect: 'manual' }).then(r => process.exit(r.status < 400 ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["svcd"]
CMD ["start"]
