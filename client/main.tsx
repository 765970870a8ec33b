import './no-eval.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

// Requests are made whatever the browser believes about the network: a failure that can be seen beats a silent wait.
const queryClient = new QueryClient({
  defaultOptions: {
    queries: { networkMode: 'always', retry: 1 },
    mutations: { networkMode: 'always' },
  },
});

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no element with the id "root".');

createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
