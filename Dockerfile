# The quickstart service as an image: `docker build -t svc .`
# To ship a service of your own, change the workspace that is installed and the file that is started.
ARG NODE=node:24-slim

# Only what decides about dependencies, so that a change of sources does not install anything again.
FROM ${NODE} AS manifests
WORKDIR /app
COPY package.json package-lock.json ./
COPY scratchpad/package.json scratchpad/
COPY packages packages
RUN find packages -type f ! -name package.json -delete && find packages -type d -empty -delete

# One workspace and what it needs: no compiler, no test tools, no second Node. Nothing of that runs an install script.
FROM ${NODE} AS dependencies
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --omit=dev --workspace packages/examples --ignore-scripts --no-audit --no-fund \
  && find node_modules -type f \( -name "*.map" -o -name "*.ts" -o -name "*.[cm]ts" \) -delete

# The pages of the console, from what the bundler needs.
FROM ${NODE} AS console
WORKDIR /app
COPY --from=manifests /app ./
RUN npm ci --workspace packages/console --ignore-scripts --no-audit --no-fund
COPY packages packages
RUN node packages/client/scripts/generate.ts && node packages/console/scripts/build.ts

FROM ${NODE}
ENV NODE_ENV=production
# All addresses of the container. The service refuses that unless ALLOW_OPEN=true is set, which is for when something
# in front of it keeps strangers out.
ENV HOST=0.0.0.0 PORT=7777
# The allocator would keep memory that was freed, for each thread.
ENV MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072
# The embedded database and whatever else is kept without DATABASE_URL.
ENV DATA_DIR=/data
WORKDIR /app
RUN mkdir /data && chown node:node /data
COPY --from=dependencies /app ./
COPY packages packages
COPY --from=console /app/packages/client/src/promise/generated packages/client/src/promise/generated
COPY --from=console /app/packages/console/site packages/console/site
USER node
VOLUME /data
EXPOSE 7777
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=16", "--heap-growing-percent=80", "packages/examples/src/quickstart.ts"]
