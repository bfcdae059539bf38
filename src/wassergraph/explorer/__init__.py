"""The explorer: a collection of graphs as one HTML page that needs no server.

graphs ──▶ content (numbers and texts of the page) ──▶ container (compressed text) ──▶ page (HTML, style and scripts)
"""
