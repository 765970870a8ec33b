FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package of production has an install script. The option ensures that none runs.
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim AS client
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The only install script downloads Node, which the image already has.
RUN npm ci --ignore-scripts
COPY vite.config.ts ./
COPY shared shared
COPY client client
RUN npm run build

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
# Removes the package managers, which would help an intruder.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
  /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-*
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY shared shared
COPY server server
COPY --from=client /app/dist dist
USER node
EXPOSE 3000
# Health checks can use plain HTTP, because the image expects a proxy that terminates TLS.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "server/main.js"]
