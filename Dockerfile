FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package that runs in production has an install script, and none would be run.
RUN npm ci --omit=dev --ignore-scripts

FROM node:24-slim AS client
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The one install script fetches a Node for machines without this version.
RUN npm ci --ignore-scripts
COPY vite.config.ts ./
COPY shared shared
COPY client client
RUN npm run build

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
# Nothing is installed here any more: who gets in finds no package manager.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack \
  /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-*
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY shared shared
COPY server server
COPY --from=client /app/dist dist
USER node
EXPOSE 3000
# By plain HTTP, which a health check may use: the image expects a proxy in front that ends TLS.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=8", "server/main.js"]
